package tracker

import (
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

func peopleWhere(tx *store.Tx, where string, args ...any) ([]auth.Person, error) {
	users, err := Users.Select(tx, where, args...)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	out := make([]auth.Person, len(users))
	for i, u := range users {
		name, known := names[u.Org]
		if !known {
			if _, err := tx.Get(`SELECT name FROM tracker_organization WHERE id = ?`, []any{u.Org}, &name); err != nil {
				return nil, err
			}
			names[u.Org] = name
		}
		out[i] = auth.Person{Tenant: u.Org, TenantName: name, ID: u.ID, Name: u.Name, Handle: u.DisplayName, Email: u.Email,
			Account: u.Account, Admin: u.Admin, Deactivated: !u.Active}
	}
	return out, nil
}

func peopleAfter(tx *store.Tx, org, id string, limit int) ([]auth.Person, error) {
	return peopleWhere(tx, `WHERE t.org > ? OR t.org = ? AND t.id > ? ORDER BY t.org, t.id LIMIT ?`, org, org, id, limit)
}

func peopleNamed(tx *store.Tx, org, text string) ([]auth.Person, error) {
	return peopleWhere(tx, `WHERE (t.id = ? OR LOWER(t.display_name) = LOWER(?) OR LOWER(t.email) = LOWER(?)) AND (t.org = ? OR ? = '')
		ORDER BY t.created, t.org, t.id LIMIT 100`, text, text, text, org, org)
}
