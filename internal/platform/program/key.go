package program

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// KeyState identifies the admin key that is in force.
type KeyState struct {
	Rotation int64     // how often it was renewed
	Rotated  time.Time // when it was last; the zero time means never
}

// Key returns the state of the admin key.
func (p *Program) Key(ctx context.Context) (k KeyState, err error) {
	err = p.world.Read(ctx, func(tx *store.Tx) error {
		k, err = getKey(tx)
		return err
	})
	return k, err
}

// RotateKey notes that the admin key is renewed now.
func (p *Program) RotateKey(ctx context.Context) (k KeyState, err error) {
	err = p.world.Write(ctx, func(tx *store.Tx) error {
		if k, err = getKey(tx); err != nil {
			return err
		}
		k = KeyState{Rotation: k.Rotation + 1, Rotated: clock.Real().UTC().Truncate(time.Microsecond)}
		return setKey(tx, k)
	})
	return k, err
}
