package sqlite

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"understudy/internal/platform/store"
)

// Caches grow while there is memory for them, and what a closed connection had
// taken is there for others.
func TestCachesOfAllWorldsShareABound(t *testing.T) {
	s := newShelf(t, t.TempDir())
	s.share.maxPages = fewPages * growth
	use := func(w *store.World) {
		for range 4 * usesToGrow {
			s.check(w.Read(context.Background(), func(tx *store.Tx) error {
				var n int64
				_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
				return err
			}))
		}
	}
	a, b := s.made("a", ""), s.made("b", "")
	use(a)
	grown := s.share.pages.Load()
	if grown == 0 || grown > s.share.maxPages {
		t.Fatalf("caches have grown by %d pages of %d", grown, s.share.maxPages)
	}
	if use(b); s.share.pages.Load() > s.share.maxPages {
		t.Errorf("caches have grown by %d pages of %d", s.share.pages.Load(), s.share.maxPages)
	}
	a.Suspend()
	b.Suspend()
	if pages, conns := s.share.pages.Load(), s.share.conns.Load(); pages != 0 || conns != 0 {
		t.Errorf("%d pages and %d connections are counted and nothing is open", pages, conns)
	}
}

// Where there are few files for further connections, a read uses the one of the
// writer whenever that is free, and a read inside another still ends.
func TestReadsDoWithOneConnection(t *testing.T) {
	s := newShelf(t, t.TempDir())
	w := s.made("a", "")
	w.Backend().(*world).crowded.Store(true)
	s.share.maxConns = 1
	read := func(then func()) {
		s.check(w.Read(context.Background(), func(tx *store.Tx) error {
			var n int64
			_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
			then()
			return err
		}))
	}
	for range 50 {
		read(func() {})
	}
	if n := s.share.conns.Load(); n != 1 {
		t.Errorf("%d connections are open", n)
	}
	read(func() { read(func() {}) })
}

// A machine without files or room is at fault, not the program: those who ask try again.
func TestWithoutFilesTheStoreIsUnavailable(t *testing.T) {
	s := newShelf(t, t.TempDir())
	s.made("a", "")
	var limit syscall.Rlimit
	s.check(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	s.check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	_, created := s.Create(context.Background(), "b", "", notes)
	_, opened := s.Open(context.Background(), "c", notes)
	copied := s.Copy(context.Background(), "a", "d")
	s.check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	for what, err := range map[string]error{"create": created, "open": opened, "copy": copied} {
		if !errors.Is(err, store.Unavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.made("b", "")
}
