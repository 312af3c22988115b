package auth

import "understudy/internal/platform/store"

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

func insertEnded(tx *store.Tx, service, family string, until int64) error {
	_, err := tx.Exec(`INSERT INTO auth_ended (service, family, until) VALUES (?, ?, ?)
		ON CONFLICT (service, family) DO UPDATE SET until = excluded.until`, service, family, until)
	return err
}

func isEnded(tx *store.Tx, service, family string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM auth_ended WHERE service = ? AND family = ?`, []any{service, family}, &one)
}

func deleteEnded(tx *store.Tx, now int64) error {
	_, err := tx.Exec(`DELETE FROM auth_ended WHERE until < ?`, now)
	return err
}
