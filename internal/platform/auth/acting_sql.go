package auth

import (
	"strings"

	"understudy/internal/platform/store"
)

func insertActing(tx *store.Tx, hash string, p Principal) error {
	_, err := tx.Exec(`INSERT INTO auth_acting (service, hash, id, kind, tenant, subject, account, scopes, tier, expires, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.Service, hash, p.TokenID, p.Kind, p.Tenant, p.Subject, p.Account, strings.Join(p.Scopes, ","), p.Tier, p.Expires, p.Agent)
	return err
}

func getActing(tx *store.Tx, service, hash string) (p Principal, found bool, err error) {
	var scopes string
	found, err = tx.Get(`SELECT id, kind, tenant, subject, account, scopes, tier, expires, agent FROM auth_acting WHERE service = ? AND hash = ?`,
		[]any{service, hash}, &p.TokenID, &p.Kind, &p.Tenant, &p.Subject, &p.Account, &scopes, &p.Tier, &p.Expires, &p.Agent)
	p.Service, p.Acting = service, true
	if scopes != "" {
		p.Scopes = strings.Split(scopes, ",")
	}
	return p, found, err
}

func deleteActingBefore(tx *store.Tx, at int64) error {
	_, err := tx.Exec(`DELETE FROM auth_acting WHERE expires < ?`, at)
	return err
}

func deleteActing(tx *store.Tx, service, id string) error {
	_, err := tx.Exec(`DELETE FROM auth_acting WHERE service = ? AND id = ?`, service, id)
	return err
}

func deleteAllActing(tx *store.Tx) error {
	_, err := tx.Exec(`DELETE FROM auth_acting`)
	return err
}
