package messaging

import (
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

func insertWorkspace(tx *store.Tx, w *Workspace) (bool, error) {
	n, err := tx.Exec(`INSERT INTO msg_workspace (id, name, domain, created, deleted, is_open) VALUES (?, ?, ?, ?, FALSE, ?)
		ON CONFLICT DO NOTHING`, w.ID, w.Name, w.Domain, w.Created, w.Open)
	return n > 0, err
}

func updateWorkspace(tx *store.Tx, w *Workspace) error {
	_, err := tx.Exec(`UPDATE msg_workspace SET name = ?, domain = ?, deleted = ?, is_open = ? WHERE id = ?`, w.Name, w.Domain, w.Deleted, w.Open, w.ID)
	return err
}

func getWorkspace(tx *store.Tx, id string) (*Workspace, error) {
	w := &Workspace{ID: id}
	found, err := tx.Get(`SELECT name, domain, created, deleted, is_open FROM msg_workspace WHERE id = ?`, []any{id},
		&w.Name, &w.Domain, &w.Created, &w.Deleted, &w.Open)
	if err != nil || !found {
		return nil, err
	}
	return w, nil
}

// workspacesNamed returns the workspaces with this id or domain, or if there is
// none, with this name.
func workspacesNamed(tx *store.Tx, text string) (ids []string, err error) {
	for _, where := range []string{`(id = ? OR domain = ?)`, `(name = ? AND ? <> '')`} {
		err := tx.Each(`SELECT id FROM msg_workspace WHERE NOT deleted AND `+where+` ORDER BY id`, []any{text, text}, func(r store.Row) error {
			var id string
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}

// lockWorkspace locks a workspace against changes of it, its handles and its apps
// until the transaction ends. It returns WorkspaceNotFound.
func lockWorkspace(tx *store.Tx, id string) (*Workspace, error) {
	w := &Workspace{ID: id}
	found, err := tx.Get(`SELECT name, domain, created, is_open FROM msg_workspace WHERE id = ? AND NOT deleted`+tx.Dialect().ForUpdate,
		[]any{id}, &w.Name, &w.Domain, &w.Created, &w.Open)
	if err == nil && !found {
		err = WorkspaceNotFound
	}
	return w, err
}

func domainTaken(tx *store.Tx, domain string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM msg_workspace WHERE domain = ? AND NOT deleted`, []any{domain}, &one)
}

func queryMemberships(tx *store.Tx, where string, args ...any) ([]Membership, error) {
	var out []Membership
	err := tx.Each(`SELECT w.id, w.name, w.domain, w.created, w.is_open, `+userColumns("u")+`
		FROM msg_user u JOIN msg_workspace w ON w.id = u.workspace
		WHERE u.account <> '' AND NOT u.deleted AND NOT w.deleted AND `+where, args,
		func(r store.Row) error {
			m := Membership{&Workspace{}, &User{}}
			w := m.Workspace
			err := r.Scan(append([]any{&w.ID, &w.Name, &w.Domain, &w.Created, &w.Open}, m.User.places()...)...)
			if err != nil {
				return err
			}
			out = append(out, m)
			return m.User.read()
		})
	return out, err
}

func memberships(tx *store.Tx, account string, after Place, limit int) ([]Membership, error) {
	return queryMemberships(tx, `u.account = ? AND (u.created > ? OR u.created = ? AND w.id > ?) ORDER BY u.created, w.id LIMIT ?`,
		account, after.Created, after.Created, after.ID, limit)
}

// membership returns the user that an account has in a workspace, or nil.
func membership(tx *store.Tx, account, workspace string) (*Membership, error) {
	found, err := queryMemberships(tx, `u.account = ? AND w.id = ?`, account, workspace)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func listJoinable(tx *store.Tx, acc auth.Account, now int64, after Place, limit int) (out []*Workspace, err error) {
	err = tx.Each(`SELECT w.id, w.name, w.domain, w.created, w.is_open FROM msg_workspace w
		WHERE NOT w.deleted AND (w.created > ? OR w.created = ? AND w.id > ?)
			AND (w.is_open OR EXISTS (SELECT 1 FROM msg_invitation i WHERE i.workspace = w.id AND i.email = ? AND i.user_id = '' AND i.expires > ?))
			AND NOT EXISTS (SELECT 1 FROM msg_user u WHERE u.workspace = w.id AND u.account = ? AND u.account <> '' AND NOT u.deleted)
		ORDER BY w.created, w.id LIMIT ?`, []any{after.Created, after.Created, after.ID, acc.Email, now, acc.ID, limit}, func(r store.Row) error {
		w := &Workspace{}
		out = append(out, w)
		return r.Scan(&w.ID, &w.Name, &w.Domain, &w.Created, &w.Open)
	})
	return out, err
}
