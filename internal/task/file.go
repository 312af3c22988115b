package task

import (
	"fmt"
	"io"
	"os"
)

// ReadFile returns the text of a file. It returns an error for one that has more
// bytes than most, of which it reads no more: a path may lead to a file without end.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d MiB", path, most>>20)
	}
	return text, err
}
