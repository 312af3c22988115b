package app

import (
	"context"
	"crypto/subtle"
	"sync"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/config"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/program"
)

// keyGrace is how long the old admin key is accepted after a rotation.
const keyGrace = time.Minute

// mostRotations is how many rotations of a key AdminKey tries.
const mostRotations = 1000

// adminKey is the key of the admin plane. It is derived from the root key and the
// number of rotations.
type adminKey struct {
	secrets  *ids.Secrets
	failures auth.Throttle

	mu    sync.RWMutex
	state program.KeyState
}

// AdminKey returns the newest known admin key of a server that was started with a
// key. If known, the key in a credentials.json, is derived from the server's key,
// it returns known, and otherwise the admin key before the first rotation. It
// returns an error for a malformed key.
func AdminKey(key, known string) (string, error) {
	root, err := config.ParseKey(key)
	if err != nil {
		return "", err
	}
	k := newAdminKey(root)
	for n := range int64(mostRotations) {
		if known != "" && k.after(n) == known {
			return known, nil
		}
	}
	return k.after(0), nil
}

func newAdminKey(root []byte) *adminKey { return &adminKey{secrets: ids.NewSecrets(root, "program")} }

// set sets the state of the key. Of concurrent rotations the newest wins, in
// whatever order they end.
func (k *adminKey) set(state program.KeyState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if state.Rotation >= k.state.Rotation {
		k.state = state
	}
}

// after returns the key after n rotations.
func (k *adminKey) after(n int64) string {
	return auth.AdminKeyPrefix + k.secrets.Text(environment.Rotated("admin", n), ids.Alnum, 40)
}

// text returns the current key.
func (k *adminKey) text() string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.after(k.state.Rotation)
}

// matches reports whether a text is the key, or was within keyGrace.
func (k *adminKey) matches(text string) bool {
	k.mu.RLock()
	state := k.state
	k.mu.RUnlock()
	same := func(n int64) bool { return subtle.ConstantTimeCompare([]byte(text), []byte(k.after(n))) == 1 }
	return same(state.Rotation) || state.Rotation > 0 && clock.Real().Before(state.Rotated.Add(keyGrace)) && same(state.Rotation-1)
}

// check reports whether a client's text is the key. It returns
// auth.TooManyFailures for a wrong key after too many failures from the client's
// address; the right key is always accepted, so that nobody with the same address
// can lock out its holder. An empty text does not count as a failure.
func (k *adminKey) check(address, text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	if k.matches(text) {
		return true, nil
	}
	if err := k.failures.Check(address, auth.AddressFailures); err != nil {
		return false, err
	}
	k.failures.Fail(address)
	return false, nil
}

// rotateKey rotates the admin key and writes credentials.json.
func (a *App) rotateKey(ctx context.Context) (key string, grace time.Duration, err error) {
	state, err := a.program.RotateKey(ctx)
	if err != nil {
		return "", 0, err
	}
	a.admin.set(state)
	return a.admin.after(state.Rotation), keyGrace, a.writeCredentials(context.WithoutCancel(ctx))
}
