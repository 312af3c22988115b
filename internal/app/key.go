package app

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"understudy/internal/platform/config"
	"understudy/internal/platform/ids"
)

// keyFile is the key from which secrets are derived, with its file.
type keyFile struct {
	path  string
	key   []byte
	isNew bool // created by this start
}

// loadKey returns the key in the options, or reads the key file that they name,
// or that of the data directory, which it creates on the first start. It rejects
// a key file in the data directory that others can read. For one that the options
// name it only logs a warning, since orchestrators mount files with their own
// permissions.
func loadKey(o config.Serve, log *slog.Logger) (k keyFile, err error) {
	if o.Key != "" {
		k.key, err = config.ParseKey(o.Key)
		return k, err
	}
	k.path = o.KeyFile
	if k.path == "" {
		k.path = filepath.Join(o.Data, "key")
	}
	text, err := os.ReadFile(k.path)
	if errors.Is(err, os.ErrNotExist) && o.KeyFile == "" {
		k.isNew = true
		text = []byte(ids.Random().Hex(64))
		err = writeFile(k.path, text)
	}
	if err != nil {
		return k, fmt.Errorf("cannot use the key file: %w", err)
	}
	if k.key, err = config.ParseKey(string(text)); err != nil {
		return k, fmt.Errorf("%s does not hold a key of 64 hexadecimal digits", k.path)
	}
	info, err := os.Stat(k.path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return k, err
	}
	if o.KeyFile == "" {
		return k, fmt.Errorf("others than its owner may read or write the key file %s (mode %#o): run chmod 600 %s, and make a new key if others could", k.path, info.Mode().Perm(), k.path)
	}
	log.Warn("the key file is accessible to users other than its owner; set its mode to 0600", "file", k.path, "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
	return k, nil
}

// fingerprint returns a text that identifies the key without revealing it.
func (k keyFile) fingerprint() string {
	return hex.EncodeToString(ids.NewSecrets(k.key, "fingerprint").Bytes("key")[:8])
}
