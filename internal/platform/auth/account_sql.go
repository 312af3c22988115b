package auth

import "understudy/internal/platform/store"

func insertAccount(tx *store.Tx, service string, a Account, hash string, at int64) (bool, error) {
	n, err := tx.Exec(`INSERT INTO auth_account (service, id, email, name, password, created)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (service, email) DO NOTHING`, service, a.ID, a.Email, a.Name, hash, at)
	return n > 0, err
}

func updatePassword(tx *store.Tx, service, id, hash string) error {
	_, err := tx.Exec(`UPDATE auth_account SET password = ? WHERE service = ? AND id = ?`, hash, service, id)
	return err
}

func getAccount(tx *store.Tx, service, id string) (a Account, found bool, err error) {
	found, err = tx.Get(`SELECT id, email, name FROM auth_account WHERE service = ? AND id = ?`,
		[]any{service, id}, &a.ID, &a.Email, &a.Name)
	return a, found, err
}

func accountByEmail(tx *store.Tx, service, email string) (a Account, hash string, found bool, err error) {
	found, err = tx.Get(`SELECT id, email, name, password FROM auth_account WHERE service = ? AND email = ?`,
		[]any{service, email}, &a.ID, &a.Email, &a.Name, &hash)
	return a, hash, found, err
}

type refresh struct {
	service, family, account, tenant, subject string
	used                                      bool
	expires                                   int64
}

func insertRefresh(tx *store.Tx, hash string, r refresh) error {
	_, err := tx.Exec(`INSERT INTO auth_refresh (hash, service, family, account, tenant, subject, used, expires)
		VALUES (?, ?, ?, ?, ?, ?, FALSE, ?)`, hash, r.service, r.family, r.account, r.tenant, r.subject, r.expires)
	return err
}

func getRefresh(tx *store.Tx, service, hash string) (r refresh, found bool, err error) {
	r.service = service
	found, err = tx.Get(`SELECT family, account, tenant, subject, used, expires FROM auth_refresh
		WHERE hash = ? AND service = ?`+tx.Dialect().ForUpdate, []any{hash, service},
		&r.family, &r.account, &r.tenant, &r.subject, &r.used, &r.expires)
	return r, found, err
}

func useRefresh(tx *store.Tx, hash string) error {
	_, err := tx.Exec(`UPDATE auth_refresh SET used = TRUE WHERE hash = ?`, hash)
	return err
}

func deleteFamily(tx *store.Tx, service, family string) error {
	_, err := tx.Exec(`DELETE FROM auth_refresh WHERE family = ? AND service = ?`, family, service)
	return err
}

func deleteExpired(tx *store.Tx, now int64) error {
	_, err := tx.Exec(`DELETE FROM auth_refresh WHERE expires < ?`, now)
	return err
}
