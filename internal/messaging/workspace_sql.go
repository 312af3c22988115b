package messaging

import "understudy/internal/platform/store"

func insertWorkspace(tx *store.Tx, w *Workspace) (bool, error) {
	n, err := tx.Exec(`INSERT INTO msg_workspace (id, name, domain, created, deleted) VALUES (?, ?, ?, ?, FALSE)
		ON CONFLICT DO NOTHING`, w.ID, w.Name, w.Domain, w.Created)
	return n > 0, err
}

func updateWorkspace(tx *store.Tx, w *Workspace) error {
	_, err := tx.Exec(`UPDATE msg_workspace SET name = ?, domain = ?, deleted = ? WHERE id = ?`, w.Name, w.Domain, w.Deleted, w.ID)
	return err
}

func getWorkspace(tx *store.Tx, id string) (*Workspace, error) {
	w := &Workspace{ID: id}
	found, err := tx.Get(`SELECT name, domain, created, deleted FROM msg_workspace WHERE id = ?`, []any{id},
		&w.Name, &w.Domain, &w.Created, &w.Deleted)
	if err != nil || !found {
		return nil, err
	}
	return w, nil
}

func domainTaken(tx *store.Tx, domain string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM msg_workspace WHERE domain = ? AND NOT deleted`, []any{domain}, &one)
}

func memberships(tx *store.Tx, account string) ([]Membership, error) {
	var out []Membership
	err := tx.Each(`SELECT w.id, w.name, w.domain, w.created, `+userColumns("u")+`
		FROM msg_user u JOIN msg_workspace w ON w.id = u.workspace
		WHERE u.account = ? AND u.account <> '' AND NOT u.deleted AND NOT w.deleted ORDER BY u.created, w.id`, []any{account},
		func(r store.Row) error {
			m := Membership{&Workspace{}, &User{}}
			w := m.Workspace
			err := r.Scan(append([]any{&w.ID, &w.Name, &w.Domain, &w.Created}, m.User.places()...)...)
			if err != nil {
				return err
			}
			out = append(out, m)
			return m.User.read()
		})
	return out, err
}
