package crm

import (
	"strings"

	"understudy/internal/platform/store"
)

func insertClient(tx *store.Tx, c Client, hash string) error {
	_, err := tx.Exec(`INSERT INTO crm_client (id, portal, app, name, secret_hash) VALUES (?, ?, ?, ?, ?)`, c.ID, c.Portal, c.App, c.Name, hash)
	return err
}

func getClient(tx *store.Tx, id string) (c Client, hash string, found bool, err error) {
	found, err = tx.Get(`SELECT id, portal, app, name, secret_hash FROM crm_client WHERE id = ?`, []any{id}, &c.ID, &c.Portal, &c.App, &c.Name, &hash)
	return c, hash, found, err
}

func insertGrant(tx *store.Tx, hash string, g grant) error {
	_, err := tx.Exec(`INSERT INTO crm_grant (hash, kind, client, portal, user_id, scopes, redirect_uri, challenge, expires)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, g.kind, g.client, g.portal, g.user, strings.Join(g.scopes, " "), g.redirectURI, g.challenge, g.expires)
	return err
}

// getGrant reads a grant; a write that rests on it locks it.
func getGrant(tx *store.Tx, hash string, lock bool) (g grant, found bool, err error) {
	var scopes, suffix string
	if lock {
		suffix = tx.Dialect().ForUpdate
	}
	found, err = tx.Get(`SELECT kind, client, portal, user_id, scopes, redirect_uri, challenge, expires FROM crm_grant WHERE hash = ?`+suffix, []any{hash}, &g.kind, &g.client, &g.portal, &g.user, &scopes, &g.redirectURI, &g.challenge, &g.expires)
	g.scopes = splitScopes(scopes)
	return g, found, err
}

func deleteGrant(tx *store.Tx, hash string) error {
	_, err := tx.Exec(`DELETE FROM crm_grant WHERE hash = ?`, hash)
	return err
}
