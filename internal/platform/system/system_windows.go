package system

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file until it is closed or the process ends. It returns an error
// at once if another process holds the lock.
func Lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
}

// OpenFiles returns how many files this process may have open; false if that is
// unknown.
func OpenFiles() (n uint64, ok bool) { return 0, false }

// Sync makes a file durable. Entries of a directory are durable without it.
func Sync(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Draws reports whether a terminal supports escape sequences, which a program
// must enable on older consoles of Windows.
func Draws(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil && windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// Inode returns the inode number of a file and its number of links.
func Inode(path string) (ino, names uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return 0, 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), uint64(info.NumberOfLinks), nil
}
