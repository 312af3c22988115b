package throwaway

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// The least that must be free for a cluster in memory: one that thousands of
// worlds were made in takes about a gigabyte.
const (
	freeInFolder = 3 << 30
	freeInAll    = 6 << 30
)

// memoryFolder is where Linux mounts a file system in memory that every user may write to.
const memoryFolder = "/dev/shm"

// inMemory returns a folder whose files are in memory, "" when there is none or
// not enough memory is free. A world of PostgreSQL is hundreds of files: on a
// disk most of the time goes by in making and removing them.
func inMemory() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < freeInFolder {
		return ""
	}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return ""
	}
	var kib uint64
	_, line, _ := bytes.Cut(text, []byte("MemAvailable:"))
	if _, err := fmt.Sscan(string(line), &kib); err != nil || kib<<10 < freeInAll {
		return ""
	}
	return memoryFolder
}
