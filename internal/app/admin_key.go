package app

import (
	"crypto/subtle"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
)

// adminKey is the key of the admin plane.
type adminKey struct {
	secrets  *ids.Secrets
	failures auth.Throttle
}

func newAdminKey(root []byte) *adminKey { return &adminKey{secrets: ids.NewSecrets(root, "program")} }

// text returns the key that is in force.
func (k *adminKey) text() string { return auth.AdminKeyPrefix + k.secrets.Text("admin", ids.Alnum, 40) }

// check reports whether a client's text is the key. It returns
// auth.TooManyFailures, without looking at the text, while wrong ones have come
// from the client's address too often. No text is no failure.
func (k *adminKey) check(address, text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	if err := k.failures.Check(address, auth.AddressFailures); err != nil {
		return false, err
	}
	if subtle.ConstantTimeCompare([]byte(text), []byte(k.text())) == 1 {
		return true, nil
	}
	k.failures.Fail(address)
	return false, nil
}
