package auth

import (
	"net/mail"
	"strings"

	"understudy/internal/platform/store"
)

// Account is a person who can sign in to a service.
type Account struct {
	ID    string
	Email string
	Name  string

	Created int64 // microseconds
}

// maxEmail is the longest e-mail address, in bytes.
const maxEmail = 254

// CheckSignup returns BadEmail, WeakPassword or CommonPassword for an invalid
// address or password.
func (a *Auth) CheckSignup(email, password string) error {
	if _, err := NormalEmail(email); err != nil {
		return err
	}
	return a.checkPassword(password, "password")
}

// NormalEmail returns the stored form of an address. It returns BadEmail.
func NormalEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > maxEmail {
		return "", BadEmail.At("email")
	}
	return email, nil
}

// CreateAccount creates an account with a hashed password. It returns EmailTaken
// or BadEmail.
func (a *Auth) CreateAccount(tx *store.Tx, service string, acc Account, hash string) (Account, error) {
	email, err := NormalEmail(acc.Email)
	if err != nil {
		return Account{}, err
	}
	acc.Email = email
	if acc.ID == "" {
		acc.ID = a.ids.UUID()
	}
	acc.Created = a.clock.Micros()
	made, err := insertAccount(tx, service, acc, hash)
	if err == nil && !made {
		err = EmailTaken.At("email")
	}
	return acc, err
}

// EnsureAccount returns the account with an e-mail address, and creates one
// without a password if there is none. It returns BadEmail.
func (a *Auth) EnsureAccount(tx *store.Tx, service string, acc Account) (Account, error) {
	email, err := NormalEmail(acc.Email)
	if err != nil {
		return Account{}, err
	}
	if have, _, found, err := accountByEmail(tx, service, email); err != nil || found {
		return have, err
	}
	return a.CreateAccount(tx, service, acc, "")
}

// SetPassword replaces the password of an account.
func (a *Auth) SetPassword(tx *store.Tx, service, account, hash string) error {
	return updatePassword(tx, service, account, hash)
}

// Account returns an account by its id.
func (a *Auth) Account(tx *store.Tx, service, id string) (Account, bool, error) {
	return getAccount(tx, service, id)
}
