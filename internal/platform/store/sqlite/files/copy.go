package files

import (
	"errors"
	"io"
	"os"
)

// CopyFile copies a file, where the kernel can by sharing blocks. A durable copy
// is on the disk when it returns.
func CopyFile(from, to string, durable bool) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) { // it may be another name of a file in use
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
