package system_test

import (
	"os"
	"path/filepath"
	"testing"

	"understudy/internal/platform/system"
)

func TestOneProcessHoldsALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	if err := system.Lock(first); err != nil {
		t.Fatal(err)
	}
	if system.Lock(second) == nil {
		t.Error("a lock is held twice")
	}
	_ = first.Close()
	if err := system.Lock(second); err != nil {
		t.Errorf("a lock outlives its file: %v", err)
	}
	_ = second.Close()
	for _, path := range []string{path, filepath.Dir(path)} {
		if err := system.Sync(path); err != nil {
			t.Error(err)
		}
	}
	if n, ok := system.OpenFiles(); ok && n == 0 {
		t.Error("no file may be open")
	}
}
