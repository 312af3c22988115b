package databases

import (
	"encoding/binary"
	"fmt"
	"os"
)

// frame is the size of a page in SQLite's log, with its header.
const frame = 4096 + 24

// LogEnd returns the number of bytes in the log of an SQLite database, whose index
// (NAME.db-shm) has the number of pages in its header.
func LogEnd(index string) (int64, error) {
	b, err := os.ReadFile(index)
	if err != nil || len(b) < 20 {
		return 0, fmt.Errorf("the index of the log cannot be read: %v", err)
	}
	return frame * int64(binary.NativeEndian.Uint32(b[16:])), nil
}
