package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseFilePages unmaps the pages of the program's own file: code and constants
// that may not be used for long. They remain in the page cache and are mapped
// again on use, many at a time.
func releaseFilePages() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		from, to, ok := readOnlyRange(lines.Text(), self)
		if ok {
			// The result is ignored: this is a hint about clean pages.
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}

// readOnlyRange returns the addresses of the mapping in a line of
// /proc/self/maps; ok is false unless it is a read-only mapping of the file.
func readOnlyRange(line, file string) (from, to uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 6 || fields[5] != file || strings.Contains(fields[1], "w") {
		return 0, 0, false
	}
	low, high, _ := strings.Cut(fields[0], "-")
	a, err := strconv.ParseUint(low, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	b, err := strconv.ParseUint(high, 16, 64)
	return uintptr(a), uintptr(b), err == nil && b > a
}
