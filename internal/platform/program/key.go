package program

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// KeyState identifies the current admin key.
type KeyState struct {
	Rotation int64     // how often it was rotated
	Rotated  time.Time // the last rotation; zero for never
}

// Key returns the state of the admin key.
func (p *Program) Key(ctx context.Context) (k KeyState, err error) {
	err = p.world.Read(ctx, func(tx *store.Tx) error {
		k, err = getKey(tx)
		return err
	})
	return k, err
}

// RotateKey rotates the admin key.
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
