package auth

import (
	"strings"

	"understudy/internal/platform/store"
)

func insertAccount(tx *store.Tx, service string, a Account, hash string) (bool, error) {
	n, err := tx.Exec(`INSERT INTO auth_account (service, id, email, name, password, created)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (service, email) DO NOTHING`, service, a.ID, a.Email, a.Name, hash, a.Created)
	return n > 0, err
}

func updatePassword(tx *store.Tx, service, id, hash string) error {
	_, err := tx.Exec(`UPDATE auth_account SET password = ? WHERE service = ? AND id = ?`, hash, service, id)
	return err
}

func getAccount(tx *store.Tx, service, id string) (a Account, found bool, err error) {
	found, err = tx.Get(`SELECT id, email, name, created FROM auth_account WHERE service = ? AND id = ?`,
		[]any{service, id}, &a.ID, &a.Email, &a.Name, &a.Created)
	return a, found, err
}

func accountByEmail(tx *store.Tx, service, email string) (a Account, hash string, found bool, err error) {
	found, err = tx.Get(`SELECT id, email, name, created, password FROM auth_account WHERE service = ? AND email = ?`,
		[]any{service, email}, &a.ID, &a.Email, &a.Name, &a.Created, &hash)
	return a, hash, found, err
}

// replacePasswords replaces one stored form of a password by another, with from
// "" any form, and ends the sessions of these accounts.
func replacePasswords(tx *store.Tx, from, to string) error {
	const these = `SELECT a.id FROM auth_account a WHERE a.service = %.service AND (? = '' OR a.password = ?)`
	for _, sql := range []string{
		`UPDATE auth_session SET ended = TRUE WHERE account IN (` + strings.ReplaceAll(these, "%", "auth_session") + `)`,
		`DELETE FROM auth_refresh WHERE account IN (` + strings.ReplaceAll(these, "%", "auth_refresh") + `)`,
	} {
		if _, err := tx.Exec(sql, from, from); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`UPDATE auth_account SET password = ? WHERE ? = '' OR password = ?`, to, from, from)
	return err
}
