package auth

import (
	"strings"

	"understudy/internal/platform/store"
)

const tokenColumns = `id, kind, tenant, subject, app, scopes, label, tier, created, expires, revoked`

func scanToken(r store.Row, service string) (t Token, err error) {
	var scopes string
	err = r.Scan(&t.ID, &t.Kind, &t.Tenant, &t.Subject, &t.App, &scopes, &t.Label, &t.Tier, &t.Created, &t.Expires, &t.Revoked)
	t.Service = service
	if scopes != "" {
		t.Scopes = strings.Split(scopes, ",")
	}
	return t, err
}

func insertToken(tx *store.Tx, hash string, t Token) error {
	_, err := tx.Exec(`INSERT INTO auth_token (service, hash, `+tokenColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (service, hash) DO UPDATE SET id = excluded.id, kind = excluded.kind, tenant = excluded.tenant,
			subject = excluded.subject, app = excluded.app, scopes = excluded.scopes, label = excluded.label,
			tier = excluded.tier, created = excluded.created, expires = excluded.expires, revoked = excluded.revoked`,
		t.Service, hash, t.ID, t.Kind, t.Tenant, t.Subject, t.App, strings.Join(t.Scopes, ","), t.Label, t.Tier,
		t.Created, t.Expires, t.Revoked)
	return err
}

func getToken(tx *store.Tx, service, hash string) (Token, bool, error) {
	return oneToken(tx, service, `hash = ?`, hash)
}

// tokenByID returns the valid token with an id.
func tokenByID(tx *store.Tx, service, tenant, id string) (Token, bool, error) {
	return oneToken(tx, service, `tenant = ? AND id = ? AND revoked = 0`, tenant, id)
}

// retireToken revokes a token and changes its id, so that its id can be used
// again.
func retireToken(tx *store.Tx, service, tenant, id, retired string, at int64) error {
	_, err := tx.Exec(`UPDATE auth_token SET id = ?, revoked = ? WHERE service = ? AND tenant = ? AND id = ?`, retired, at, service, tenant, id)
	return err
}

func updateHash(tx *store.Tx, service, old, hash string) error {
	_, err := tx.Exec(`UPDATE auth_token SET hash = ? WHERE service = ? AND hash = ?`, hash, service, old)
	return err
}

func oneToken(tx *store.Tx, service, where string, args ...any) (t Token, found bool, err error) {
	err = tx.Each(`SELECT `+tokenColumns+` FROM auth_token WHERE service = ? AND `+where, append([]any{service}, args...),
		func(r store.Row) (err error) {
			found = true
			t, err = scanToken(r, service)
			return err
		})
	return t, found, err
}

func revokeToken(tx *store.Tx, service, tenant, id string, at int64) (bool, error) {
	n, err := tx.Exec(`UPDATE auth_token SET revoked = ? WHERE service = ? AND tenant = ? AND id = ? AND revoked = 0`,
		at, service, tenant, id)
	return n > 0, err
}

func revokeTokens(tx *store.Tx, service, tenant, subject, app string, at int64) error {
	_, err := tx.Exec(`UPDATE auth_token SET revoked = ? WHERE service = ? AND tenant = ? AND revoked = 0
		AND (subject = ? OR ? = '') AND (app = ? OR ? = '')`, at, service, tenant, subject, subject, app, app)
	return err
}

func listTokens(tx *store.Tx, service, tenant string, kinds []Kind) ([]Token, error) {
	args := []any{service, tenant}
	for _, k := range kinds {
		args = append(args, k)
	}
	var out []Token
	err := tx.Each(`SELECT `+tokenColumns+` FROM auth_token WHERE service = ? AND tenant = ? AND revoked = 0
		AND kind IN `+store.In(len(kinds))+` ORDER BY created, id`, args, func(r store.Row) error {
		t, err := scanToken(r, service)
		out = append(out, t)
		return err
	})
	return out, err
}

// revokeAll revokes all tokens and deletes all sessions.
func revokeAll(tx *store.Tx, at int64) error {
	if _, err := tx.Exec(`UPDATE auth_token SET revoked = ? WHERE revoked = 0`, at); err != nil {
		return err
	}
	for _, table := range []string{"auth_session", "auth_refresh", "auth_acting"} {
		if _, err := tx.Exec(`DELETE FROM ` + table); err != nil {
			return err
		}
	}
	return nil
}
