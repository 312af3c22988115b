package crm

import (
	"encoding/json"
	"strings"

	"understudy/internal/platform/store"
)

func insertClient(tx *store.Tx, c Client, hash string) error {
	_, err := tx.Exec(`INSERT INTO crm_client (id, portal, app, name, secret_hash) VALUES (?, ?, ?, ?, ?)`, c.ID, c.Portal, c.App, c.Name, hash)
	return err
}

func getClient(tx *store.Tx, id string) (c Client, hash string, found bool, err error) {
	var redirects []byte
	found, err = tx.Get(`SELECT id, portal, app, name, secret_hash, redirect_uris FROM crm_client WHERE id = ?`, []any{id},
		&c.ID, &c.Portal, &c.App, &c.Name, &hash, &redirects)
	if err == nil && found {
		err = json.Unmarshal(redirects, &c.Redirects)
	}
	return c, hash, found, err
}

// firstClient returns the id of a portal's first client, "" without one.
func firstClient(tx *store.Tx, portal int64) (id string, err error) {
	_, err = tx.Get(`SELECT id FROM crm_client WHERE portal = ? ORDER BY app, id LIMIT 1`, []any{portal}, &id)
	return id, err
}

func updateRedirects(tx *store.Tx, c Client) error {
	if c.Redirects == nil {
		c.Redirects = []string{}
	}
	uris, err := json.Marshal(c.Redirects)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE crm_client SET redirect_uris = ? WHERE id = ?`, string(uris), c.ID)
	return err
}

func updateClientSecret(tx *store.Tx, id, hash string) error {
	_, err := tx.Exec(`UPDATE crm_client SET secret_hash = ? WHERE id = ?`, hash, id)
	return err
}

func insertGrant(tx *store.Tx, hash string, g grant) error {
	_, err := tx.Exec(`INSERT INTO crm_grant (hash, kind, client, portal, user_id, scopes, redirect_uri, challenge, expires)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, g.kind, g.client, g.portal, g.user, strings.Join(g.scopes, " "), g.redirectURI, g.challenge, g.expires)
	return err
}

// getGrant reads a grant, and locks it for a write that depends on it.
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
