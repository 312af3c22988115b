package crm

import (
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

func queryPeople(tx *store.Tx, where string, args ...any) (out []auth.Person, err error) {
	err = tx.Each(`SELECT u.portal, p.name, u.id, u.account, u.email, u.first_name, u.last_name, u.archived
		FROM crm_user u JOIN crm_portal p ON p.id = u.portal WHERE `+where, args, func(r store.Row) error {
		var p auth.Person
		var portal, id, archived int64
		var first, last string
		err := r.Scan(&portal, &p.TenantName, &id, &p.Account, &p.Email, &first, &last, &archived)
		p.Tenant, p.ID = strconv.FormatInt(portal, 10), strconv.FormatInt(id, 10)
		p.Name = strings.TrimSpace(first + " " + last)
		p.Handle, _, _ = strings.Cut(p.Email, "@")
		p.Deactivated = archived != 0
		out = append(out, p)
		return err
	})
	return out, err
}

// number parses an id; other texts sort before all ids.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func peopleAfter(tx *store.Tx, portal, user string, limit int) ([]auth.Person, error) {
	return queryPeople(tx, `u.portal > ? OR u.portal = ? AND u.id > ? ORDER BY u.portal, u.id LIMIT ?`,
		number(portal), number(portal), number(user), limit)
}

func peopleNamed(tx *store.Tx, portal, text string) ([]auth.Person, error) {
	return queryPeople(tx, `(u.id = ? OR LOWER(u.email) = LOWER(?) OR LOWER(u.email) LIKE LOWER(?) || '@%') AND (u.portal = ? OR ? = '')
		ORDER BY u.created, u.portal, u.id LIMIT 100`, number(text), text, text, number(portal), portal)
}
