package files

import (
	"errors"
	"io"
	"os"

	"understudy/internal/platform/system"
)

// Act is an operation on a file.
type Act int

// The operations that Folder.Note receives.
const (
	Copied Act = iota // a file is overwritten by a copy of another
	Synced            // a file is flushed
	Read              // a file is read whole instead of being opened
	Begun             // the system begins to flush a file
)

func (f *Folder) note(act Act, path string) {
	if f.Note != nil {
		f.Note(act, path)
	}
}

func (f *Folder) sync(path string) error {
	f.note(Synced, path)
	return system.Sync(path)
}

func (f *Folder) copyFile(from, to string, durable bool) error {
	f.note(Copied, from)
	if durable {
		f.note(Synced, to)
	}
	return CopyFile(from, to, durable)
}

// CopyFile copies a file, sharing blocks if the kernel can. A durable copy is on
// the disk when it returns.
func CopyFile(from, to string, durable bool) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) { // it may be another name of a file that is in use
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil && durable {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
