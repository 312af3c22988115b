package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// The errors of passwords.
var (
	WeakPassword   = fault.New(fault.Invalid, "weak_password", "The password must have 8 to 1,024 characters and not be blank.")
	CommonPassword = fault.New(fault.Invalid, "weak_password", "The password is among the most common ones: choose another.")
)

const (
	minPassword = 8    // characters
	maxPassword = 1024 // characters
)

// argon2id with less memory than RFC 9106 recommends even for constrained
// environments: a world is created in milliseconds, and hashing limits concurrent
// logins.
const (
	argonTime    = 3
	argonMemory  = 12 * 1024 // KiB
	argonThreads = 1
	argonKey     = 32
)

// hashing limits concurrent computations, and thereby their memory.
var hashing = make(chan struct{}, 2)

// checkPassword returns WeakPassword or CommonPassword for an invalid password.
func (a *Auth) checkPassword(password, field string) error {
	n := utf8.RuneCountInString(password)
	switch {
	case n < minPassword || n > maxPassword || strings.TrimSpace(password) == "":
		return WeakPassword.At(field)
	case a.exposed && isCommon(password):
		return CommonPassword.At(field)
	}
	return nil
}

// HashPassword returns the stored form of a password. It takes milliseconds, so
// call it before the transaction.
func (a *Auth) HashPassword(password string) string {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	salt := make([]byte, 16)
	a.ids.Bytes(salt)
	return encodePassword(password, salt)
}

// encodePassword is HashPassword with a given salt. The caller must hold a slot
// of hashing.
func encodePassword(password string, salt []byte) string {
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b.EncodeToString(salt), b.EncodeToString(key))
}

// derivedMark is the prefix of the stored form of a password that is derived from
// the environment's key. Such a password has enough entropy without argon2id,
// which makes creating a world faster.
const derivedMark = "$derived$"

// DerivedPassword returns the stored form of the password derived for a purpose.
func DerivedPassword(purpose string) string { return derivedMark + purpose }

// DerivedPasswordText returns the password derived for a purpose.
func (a *Auth) DerivedPasswordText(purpose string) string {
	return a.secrets.Text("password\x00"+purpose, ids.Alnum, 24)
}

// passwordMatches compares a password with its stored form, "" for an unknown
// account. It takes the same time in all cases. The caller must hold a slot of
// hashing.
func (a *Auth) passwordMatches(password, encoded string) bool {
	purpose, derived := strings.CutPrefix(encoded, derivedMark)
	parts := strings.Split(encoded, "$")
	salt := make([]byte, 16)
	stored := false
	if !derived && len(parts) == 6 {
		if b, err := base64.RawStdEncoding.DecodeString(parts[4]); err == nil {
			salt, stored = b, true
		}
	}
	if utf8.RuneCountInString(password) > maxPassword {
		password, derived, stored = "", false, false
	}
	computed := encodePassword(password, salt)
	if derived {
		return subtle.ConstantTimeCompare([]byte(password), []byte(a.DerivedPasswordText(purpose))) == 1
	}
	return subtle.ConstantTimeCompare([]byte(computed), []byte(encoded)) == 1 && stored
}

// Attempt is a sign-in attempt.
type Attempt struct {
	Email    string
	Password string
	Address  string // of the client, as httpkit.ClientAddress returns it
}

// CheckPassword returns the account with an e-mail address and a password; all
// services sign in through it. It returns BadLogin, after the same time whether
// or not the address is known, and TooManyFailures when this account has failed
// too often from the client's address, or the address for any account. Other
// addresses are not affected, so that an attacker cannot lock out the owner of an
// account.
func (a *Auth) CheckPassword(ctx context.Context, service string, in Attempt) (Account, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	if len(email) > maxEmail {
		email = ""
	}
	address := "address\x00" + in.Address
	account := strings.Join([]string{"account", in.Address, service, email}, "\x00")
	throttled := func() error {
		if err := a.failures.Check(account, AccountFailures); err != nil {
			return err
		}
		return a.failures.Check(address, AddressFailures)
	}
	if err := throttled(); err != nil {
		return Account{}, err
	}
	var acc Account
	var hash string
	err := a.world.Read(ctx, func(tx *store.Tx) (err error) {
		acc, hash, _, err = accountByEmail(tx, service, email)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return Account{}, ctx.Err()
	}
	if err := throttled(); err != nil { // concurrent attempts may have failed
		return Account{}, err
	}
	if !a.passwordMatches(in.Password, hash) {
		a.failures.Fail(account, address)
		return Account{}, BadLogin
	}
	a.failures.Forget(account)
	return acc, nil
}

// ChangePassword replaces the password of an account, given the current one, and
// ends the account's sessions except the caller's. It returns the errors of
// CheckPassword and CheckSignup.
func (a *Auth) ChangePassword(ctx context.Context, p *Principal, account string, in PasswordChange) error {
	var acc Account
	err := a.world.Read(ctx, func(tx *store.Tx) (err error) {
		acc, _, err = getAccount(tx, p.Service, account)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := a.CheckPassword(ctx, p.Service, Attempt{Email: acc.Email, Password: in.Current, Address: in.Address}); err != nil {
		return err
	}
	if err := a.checkPassword(in.New, "new_password"); err != nil {
		return err
	}
	mine := ""
	if p.Kind == Session {
		mine = p.TokenID
	}
	hash := a.HashPassword(in.New)
	err = a.world.Write(ctx, func(tx *store.Tx) error {
		if err := updatePassword(tx, p.Service, acc.ID, hash); err != nil {
			return err
		}
		return a.EndSessions(tx, p.Service, acc.ID, mine)
	})
	if err == nil {
		a.bus.Publish(PasswordChanged, nil)
	}
	return err
}

// PasswordChange are the parameters of ChangePassword.
type PasswordChange struct {
	Current, New string
	Address      string // of the client, as httpkit.ClientAddress returns it
}

// KnownPassword returns the password of an account if it is a derived one, and ""
// if the user has chosen another.
func (a *Auth) KnownPassword(tx *store.Tx, service, email string) (string, error) {
	_, hash, _, err := accountByEmail(tx, service, email)
	if purpose, ok := strings.CutPrefix(hash, derivedMark); ok && err == nil {
		return a.DerivedPasswordText(purpose), nil
	}
	return "", err
}

// ResetPassword sets the password of the account with an e-mail address to the
// one derived for a purpose, and ends its sessions.
func (a *Auth) ResetPassword(tx *store.Tx, service, email, purpose string) error {
	acc, _, found, err := accountByEmail(tx, service, email)
	if err != nil || !found {
		return err
	}
	if err := updatePassword(tx, service, acc.ID, DerivedPassword(purpose)); err != nil {
		return err
	}
	return a.EndSessions(tx, service, acc.ID, "")
}

// ResetDerived replaces the password derived for one purpose by that for another,
// in all accounts that have it, and ends their sessions. With from "" it replaces
// the passwords of all accounts.
func (a *Auth) ResetDerived(tx *store.Tx, from, to string) error {
	if from != "" {
		from = DerivedPassword(from)
	}
	tx.AfterCommit(a.ended)
	return replacePasswords(tx, from, DerivedPassword(to))
}
