//go:build unix

package system

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks a file until it is closed or the process ends. It returns an error
// at once if another process holds the lock.
func Lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// OpenFiles returns how many files this process may have open; false if that is
// unknown.
func OpenFiles() (n uint64, ok bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return uint64(files.Cur), err == nil //nolint:unconvert // its type differs between systems
}

// Sync makes a file, or the entries of a directory, durable.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Draws reports whether a terminal supports escape sequences: those of Unix do.
func Draws(*os.File) bool { return true }

// Inode returns the inode number of a file and its number of links.
func Inode(path string) (ino, names uint64, err error) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return 0, 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Ino, uint64(st.Nlink), nil //nolint:unconvert // its type differs between systems
}
