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

func insertSession(tx *store.Tx, service, family, account string, expires int64) error {
	_, err := tx.Exec(`INSERT INTO auth_session (service, family, account, expires, ended) VALUES (?, ?, ?, ?, FALSE)`, service, family, account, expires)
	return err
}

func extendSession(tx *store.Tx, service, family string, expires int64) error {
	_, err := tx.Exec(`UPDATE auth_session SET expires = ? WHERE service = ? AND family = ?`, expires, service, family)
	return err
}

func getSession(tx *store.Tx, service, family string) (account string, ended, found bool, err error) {
	found, err = tx.Get(`SELECT account, ended FROM auth_session WHERE service = ? AND family = ?`, []any{service, family}, &account, &ended)
	return account, ended, found, err
}

func endSession(tx *store.Tx, service, family string) error {
	if _, err := tx.Exec(`UPDATE auth_session SET ended = TRUE WHERE service = ? AND family = ?`, service, family); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM auth_refresh WHERE family = ? AND service = ?`, family, service)
	return err
}

func endSessions(tx *store.Tx, service, account, but string) error {
	if _, err := tx.Exec(`UPDATE auth_session SET ended = TRUE WHERE service = ? AND account = ? AND family <> ?`, service, account, but); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM auth_refresh WHERE service = ? AND account = ? AND family <> ?`, service, account, but)
	return err
}

func deleteExpired(tx *store.Tx, now int64) error {
	if _, err := tx.Exec(`DELETE FROM auth_session WHERE expires < ?`, now); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM auth_refresh WHERE expires < ?`, now)
	return err
}
