package task

import (
	"fmt"
	"io"
	"os"
)

// ReadFile returns the content of a file. It returns an error for one that is
// longer than most, without reading more: a path may refer to an endless file.
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
