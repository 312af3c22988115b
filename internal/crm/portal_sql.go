package crm

import "understudy/internal/platform/store"

// sequence is the transaction key of a sequence that a write has locked; its
// value is the next number. On SQLite, where writers follow each other, later
// writes find it until something else changes the sequences.
type sequence string

// nextIn reserves n numbers of a sequence that starts at first, and locks it
// until the end of the transaction.
func nextIn(tx *store.Tx, name string, first, n int64) (next int64, err error) {
	if locked, ok := store.Kept[int64](tx, sequence(name)); ok {
		if n == 0 {
			return locked, nil
		}
		next = locked + n
		err = tx.ExecLater(`UPDATE crm_sequence SET next = ? WHERE name = ?`, next, name)
	} else {
		_, err = tx.Get(`INSERT INTO crm_sequence (name, next) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET next = crm_sequence.next + ? RETURNING next`, []any{name, first + n, n}, &next)
	}
	if err == nil {
		store.KeepLong(tx, sequence(name), next, "crm_sequence")
	}
	return next - n, err
}

func insertPortal(tx *store.Tx, p Portal) error {
	_, err := tx.Exec(`INSERT INTO crm_portal (id, name, tier, currency, version, created) VALUES (?, ?, ?, ?, 1, ?)`,
		p.ID, p.Name, p.Tier, p.Currency, p.Created)
	return err
}

func getPortal(tx *store.Tx, id int64) (p Portal, version int64, err error) {
	found, err := tx.Get(`SELECT id, name, tier, currency, version, created FROM crm_portal WHERE id = ?`, []any{id},
		&p.ID, &p.Name, &p.Tier, &p.Currency, &version, &p.Created)
	if err == nil && !found {
		err = DefinitionNotFound
	}
	return p, version, err
}

func insertTally(tx *store.Tx, portal int64, t Type) error {
	_, err := tx.Exec(`INSERT INTO crm_tally (portal, type, live) VALUES (?, ?, 0)`, portal, t)
	return err
}

func addTally(tx *store.Tx, portal int64, t Type, n int) error {
	return tx.ExecLater(`UPDATE crm_tally SET live = live + ? WHERE portal = ? AND type = ?`, n, portal, t)
}

func insertUser(tx *store.Tx, portal int64, u User, at int64) error {
	_, err := tx.Exec(`INSERT INTO crm_user (portal, id, owner, account, email, first_name, last_name, created, updated, archived)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`, portal, u.ID, u.Owner, u.Account, u.Email, u.FirstName, u.LastName, at, at)
	return err
}

func getUserByAccount(tx *store.Tx, account string) (portal int64, u User, found bool, err error) {
	found, err = tx.Get(`SELECT portal, id, owner, account, email, first_name, last_name FROM crm_user
		WHERE account = ? AND archived = 0 ORDER BY portal, id LIMIT 1`, []any{account},
		&portal, &u.ID, &u.Owner, &u.Account, &u.Email, &u.FirstName, &u.LastName)
	return portal, u, found, err
}

func getUser(tx *store.Tx, portal, id int64) (u User, found bool, err error) {
	found, err = tx.Get(`SELECT id, owner, account, email, first_name, last_name FROM crm_user WHERE portal = ? AND id = ?`,
		[]any{portal, id}, &u.ID, &u.Owner, &u.Account, &u.Email, &u.FirstName, &u.LastName)
	return u, found, err
}

func listOwners(tx *store.Tx, portal int64) (out []Owner, err error) {
	err = tx.Each(`SELECT owner, id, email, first_name, last_name, created, updated, archived FROM crm_user
		WHERE portal = ? ORDER BY owner`, []any{portal}, func(r store.Row) error {
		var o Owner
		err := r.Scan(&o.ID, &o.UserID, &o.Email, &o.FirstName, &o.LastName, &o.Created, &o.Updated, &o.Archived)
		out = append(out, o)
		return err
	})
	return out, err
}
