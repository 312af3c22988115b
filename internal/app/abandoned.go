package app

import (
	"os"
	"path/filepath"

	"understudy/internal/platform/system"
)

// lockName is the file in a data directory that the program locks while it runs.
const lockName = "lock"

// Abandoned reports whether a directory is a data directory that no program uses.
func Abandoned(folder string) bool {
	f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return system.Lock(f) == nil
}
