package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartWriting has the system begin to write a file to the disk, for a Sync that
// follows: what happens between them does not wait. It is an advice: the file is
// durable after Sync alone, and a failure shows there.
func StartWriting(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	_ = f.Close()
}
