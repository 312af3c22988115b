package app

import (
	"os"
	"path/filepath"

	"understudy/internal/platform/system"
)

// lockName is the file of a data folder that the program locks while it runs.
const lockName = "lock"

// Abandoned reports whether a folder is a data folder that no program uses.
func Abandoned(folder string) bool {
	f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return system.Lock(f) == nil
}
