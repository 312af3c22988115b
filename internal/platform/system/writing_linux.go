package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartWriting makes the kernel begin to write a file to the disk, so that a
// later Sync takes less time. It is only a hint: Sync alone makes the file
// durable, and reports failures.
func StartWriting(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	_ = f.Close()
}
