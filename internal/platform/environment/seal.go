package environment

import (
	"context"

	"understudy/internal/platform/store"
)

// seal encrypts the secrets that earlier versions of services stored in plain
// text, once for each world.
func (e *Environment) seal(ctx context.Context) error {
	if e.sealed {
		return nil
	}
	for _, name := range e.order {
		if s, ok := e.instances[name].(Sealer); ok {
			if err := s.SealSecrets(ctx); err != nil {
				return err
			}
		}
	}
	return e.World.Write(ctx, func(tx *store.Tx) error { return setMeta(tx, map[string]string{"sealed": "true"}) })
}
