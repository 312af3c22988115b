package memory

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// limitAtStart is the limit of GOMEMLIMIT; ReturnUnused changes the limit later.
var limitAtStart = debug.SetMemoryLimit(-1)

// unknownSize is the assumed memory of a machine that does not report its size.
const unknownSize = 4 << 30

// Size returns how many bytes of memory the program may use: the smallest of the
// machine's memory, the limit of its control group and GOMEMLIMIT.
var Size = sync.OnceValue(func() int64 {
	size := min(limitAtStart, groupSize())
	if machine := machineSize(); machine > 0 {
		size = min(size, machine)
	}
	if size == math.MaxInt64 {
		return unknownSize
	}
	return size
})

// groupSize returns the memory limit of the control group, as containers have it.
func groupSize() int64 {
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return math.MaxInt64
}

// machineSize returns the memory of the machine, 0 if unknown.
func machineSize() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(b), "MemTotal:")
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
