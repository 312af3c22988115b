package environment

import (
	"context"
	"strconv"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Rotator is an Instance whose credentials can be renewed.
type Rotator interface {
	// Rotate renews the credentials that Credentials returns, so that the old ones
	// are rejected, and ends the sessions that were created with them. Ids remain.
	// After the transaction the environment's rotation is n.
	Rotate(ctx context.Context, tx *store.Tx, n int64) error
}

// InheritedRenewer is an Instance whose credentials stop working in a fork with
// its own credentials.
type InheritedRenewer interface {
	// RenewInherited renews what Credentials returns, and every other secret with
	// which a caller can act or sign. All tokens and sessions are already revoked.
	// was holds the parent's secrets.
	RenewInherited(ctx context.Context, tx *store.Tx, was *ids.Secrets) error
}

// RenewInherited ends all credentials of the parent in a fork, and renews those
// that are derived from the fork's secrets.
func (e *Environment) RenewInherited(ctx context.Context) error {
	return e.World.Write(ctx, func(tx *store.Tx) error {
		if err := e.Auth.RevokeAll(tx); err != nil {
			return err
		}
		for _, service := range e.order {
			if r, ok := e.instances[service].(InheritedRenewer); ok {
				if err := r.RenewInherited(ctx, tx, e.inherited); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// OwnMaker is a Service that stores data derived from the secrets of an
// environment, such as the sha256 of a token.
type OwnMaker interface {
	// MakeOwn replaces this data in an instance, deriving it from the environment's
	// secrets instead of was, and changes nothing else.
	MakeOwn(tx *store.Tx, in Instance, was *ids.Secrets) error
}

// MakeOwn replaces the credentials of a new environment that began as a copy. The
// result is the same as if they had been created with it.
func MakeOwn(ctx context.Context, env *Environment, services []Service) error {
	return env.World.Write(ctx, func(tx *store.Tx) error {
		for _, s := range services {
			if m, ok := s.(OwnMaker); ok {
				if err := m.MakeOwn(tx, env.Service(s.Name()), env.inherited); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// FixtureOpener is an Instance whose fixture has credentials.
type FixtureOpener interface {
	// OpenFixture creates them: an account without a password for every person
	// without an account, and tokens with constant texts.
	OpenFixture(ctx context.Context, tx *store.Tx) error
}

// Rotation returns how often the credentials of the environment were rotated.
func (e *Environment) Rotation() int64 { return e.rotation.Load() }

// Rotated returns the purpose of a secret after n rotations.
func Rotated(purpose string, n int64) string {
	if n == 0 {
		return purpose
	}
	return purpose + "/rotation " + strconv.FormatInt(n, 10)
}

func fixturePurpose(rotation int64) string { return Rotated("fixture", rotation) }

// PasswordPurpose returns the purpose from which the password of a service's
// first user is derived after n rotations: its own, or that of the fixture.
func (e *Environment) PasswordPurpose(own string, n int64) string {
	if e.fixture != "" {
		return fixturePurpose(n)
	}
	return Rotated(own, n)
}

// RotateCredentials rotates the credentials of all services, all or nothing.
func (e *Environment) RotateCredentials(ctx context.Context) error {
	e.rotating.Lock()
	defer e.rotating.Unlock()
	was := e.rotation.Load()
	err := e.World.Write(ctx, func(tx *store.Tx) error {
		if err := setMeta(tx, map[string]string{"rotation": strconv.FormatInt(was+1, 10)}); err != nil {
			return err
		}
		if e.fixture != "" {
			if err := e.Auth.ResetDerived(tx, fixturePurpose(was), fixturePurpose(was+1)); err != nil {
				return err
			}
		}
		for _, service := range e.order {
			if r, ok := e.instances[service].(Rotator); ok {
				if err := r.Rotate(ctx, tx, was+1); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.rotation.Store(was + 1)
	e.CredentialsChanged()
	return nil
}

// OpenFixture creates the credentials of a bundled fixture with which the
// environment was just filled. From then on everyone in the environment,
// including admins, signs in with fixture_password of the credentials.
func (e *Environment) OpenFixture(ctx context.Context, name string) error {
	e.fixture = name
	return e.World.Write(ctx, func(tx *store.Tx) error {
		for _, service := range e.order {
			if o, ok := e.instances[service].(FixtureOpener); ok {
				if err := o.OpenFixture(ctx, tx); err != nil {
					return err
				}
			}
		}
		if err := e.Auth.ResetDerived(tx, "", fixturePurpose(0)); err != nil {
			return err
		}
		return setMeta(tx, map[string]string{"fixture": name})
	})
}
