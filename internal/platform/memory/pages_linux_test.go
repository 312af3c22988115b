package memory

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// fileBytes returns how many bytes of files the process has mapped and in memory.
func fileBytes(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(b), "RssFile:")
	n, err := strconv.Atoi(strings.Fields(line)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

func TestPagesOfTheProgramsFileAreReleased(t *testing.T) {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	ranges := 0
	for line := range strings.Lines(string(maps)) {
		if from, to, ok := readOnlyRange(strings.TrimSuffix(line, "\n"), self); ok {
			ranges++
			if to <= from {
				t.Errorf("%x-%x of %s", from, to, line)
			}
		}
	}
	if ranges == 0 {
		t.Fatal("the program's file is not mapped: its ranges are not found")
	}
	before := fileBytes(t)
	releaseFilePages()
	if after := fileBytes(t); after >= before {
		t.Errorf("%d bytes of files in memory, %d before", after, before)
	}
}
