package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// argon2id with the parameters that RFC 9106 gives for constrained memory,
// made smaller again in memory: a world is made in milliseconds, and logins
// are tried one at a time.
const (
	argonTime    = 3
	argonMemory  = 12 * 1024 // KiB
	argonThreads = 1
	argonKey     = 32
)

// hashing bounds the memory that concurrent logins take.
var hashing = make(chan struct{}, 2)

// Account is a person who can sign in to a service.
type Account struct {
	ID    string
	Email string
	Name  string
}

// CheckSignup returns BadEmail or WeakPassword for what no account may have.
func CheckSignup(email, password string) error {
	if _, err := NormalEmail(email); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(password); n < 8 || n > 256 {
		return WeakPassword.At("password")
	}
	return nil
}

// NormalEmail gives an address as accounts keep it. It returns BadEmail.
func NormalEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > 254 {
		return "", BadEmail.At("email")
	}
	return email, nil
}

// HashPassword gives the form in which a password is kept. It takes
// milliseconds, so call it before the transaction.
func (a *Auth) HashPassword(password string) string {
	salt := make([]byte, 16)
	a.ids.Bytes(salt)
	return encodePassword(password, salt)
}

func encodePassword(password string, salt []byte) string {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b.EncodeToString(salt), b.EncodeToString(key))
}

// derivedMark begins the stored form of a password that is derived from the
// environment's key: it has the entropy that argon2id would have to make up
// for, and a world with derived passwords is made without that work.
const derivedMark = "$derived$"

// DerivedPassword gives the stored form of the derived password for a purpose.
func DerivedPassword(purpose string) string { return derivedMark + purpose }

// DerivedPasswordText gives the password itself.
func (a *Auth) DerivedPasswordText(purpose string) string {
	return a.secrets.Text("password\x00"+purpose, ids.Alnum, 24)
}

func (a *Auth) passwordMatches(password, encoded string) bool {
	if purpose, ok := strings.CutPrefix(encoded, derivedMark); ok {
		return subtle.ConstantTimeCompare([]byte(password), []byte(a.DerivedPasswordText(purpose))) == 1
	}
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(encodePassword(password, salt)), []byte(encoded)) == 1
}

// CreateAccount makes an account with a hashed password. It returns EmailTaken or BadEmail.
func (a *Auth) CreateAccount(tx *store.Tx, service string, acc Account, hash string) (Account, error) {
	email, err := NormalEmail(acc.Email)
	if err != nil {
		return Account{}, err
	}
	acc.Email = email
	if acc.ID == "" {
		acc.ID = a.ids.UUID()
	}
	made, err := insertAccount(tx, service, acc, hash, a.clock.Micros())
	if err == nil && !made {
		err = EmailTaken.At("email")
	}
	return acc, err
}

// SetPassword replaces the password of an account.
func (a *Auth) SetPassword(tx *store.Tx, service, account, hash string) error {
	return updatePassword(tx, service, account, hash)
}

// Account gives an account by its id.
func (a *Auth) Account(tx *store.Tx, service, id string) (Account, bool, error) {
	return getAccount(tx, service, id)
}

// CheckPassword gives the account of an e-mail address and a password. It
// returns BadLogin, after the same work, whether or not the address is known.
func (a *Auth) CheckPassword(ctx context.Context, service, email, password string) (Account, error) {
	var acc Account
	var hash string
	err := a.world.Read(ctx, func(tx *store.Tx) (err error) {
		acc, hash, _, err = accountByEmail(tx, service, strings.ToLower(strings.TrimSpace(email)))
		return err
	})
	if err != nil {
		return Account{}, err
	}
	if hash == "" {
		encodePassword(password, make([]byte, 16))
		return Account{}, BadLogin
	}
	if len(password) > 1024 || !a.passwordMatches(password, hash) {
		return Account{}, BadLogin
	}
	return acc, nil
}
