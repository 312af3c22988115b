package catalogue

import (
	"context"
	"errors"
	"fmt"

	"understudy/internal/platform/store"
)

// ErrWrongKey is wrapped by the error of CheckKey.
var ErrWrongKey = errors.New("the database was made with another key")

// CheckKey compares a key's fingerprint with that of the key with which the
// database was created, and stores it on first use. It returns an error that
// wraps ErrWrongKey for another key, and for a new key if the database already
// contains environments.
func (c *Catalogue) CheckKey(ctx context.Context, fingerprint string, isNew bool) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		have, found, err := getNote(tx, "key_fingerprint")
		if err != nil {
			return err
		}
		if found && have != fingerprint {
			return fmt.Errorf("%w: its fingerprint is %s, that of this key is %s; give the other key with UNDERSTUDY_KEY or its file with --key-file", ErrWrongKey, have, fingerprint)
		}
		if found {
			return nil
		}
		if isNew {
			if old, err := selectEntries(tx, `TRUE LIMIT 1`); err != nil || len(old) > 0 {
				return errors.Join(err, fmt.Errorf("%w, and this data folder has none: give that key with UNDERSTUDY_KEY or its file with --key-file", ErrWrongKey))
			}
		}
		return insertNote(tx, "key_fingerprint", fingerprint)
	})
}
