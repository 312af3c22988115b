package throwaway

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// The least free memory for a cluster in memory: one with thousands of worlds
// uses about a gigabyte.
const (
	freeInFolder = 3 << 30
	freeInAll    = 6 << 30
)

// memoryFolder is where Linux mounts a file system in memory that every user may
// write to.
const memoryFolder = "/dev/shm"

// inMemory returns a directory in memory, "" if there is none or not enough
// memory is free. A PostgreSQL world is hundreds of files: on a disk, creating
// and removing them takes most of the time.
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
