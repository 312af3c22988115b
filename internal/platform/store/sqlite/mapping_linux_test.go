package sqlite

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// All connections that read a file share one mapping. They read in it what is appended later,
// and a file that shrinks as before, also while others read what it was.
func TestConnectionsShareAMapping(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w := s.made("a", "")
	b := w.Backend().(*world)
	b.crowded.Store(true) // readers are other connections than the writer
	count := func(tx *store.Tx) (n, bytes int64) {
		if _, err := tx.Get("SELECT count(*), sum(length(text)) FROM note", nil, &n, &bytes); err != nil {
			t.Error(err)
		}
		return n, bytes
	}
	insert := func(rows int) {
		t.Helper()
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			all := make([][]any, rows)
			for i := range all {
				all[i] = []any{strings.Repeat("x", 1000)}
			}
			return tx.ExecBatch("INSERT INTO note (text) VALUES (?)", all)
		}))
	}
	const readers = 4
	together := func(want int64) { // all of them read at a time, each on its own connection
		t.Helper()
		var in, out sync.WaitGroup
		in.Add(readers)
		for range readers {
			out.Go(func() {
				err := w.Read(ctx, func(tx *store.Tx) error {
					n, bytes := count(tx)
					in.Done()
					in.Wait()
					if again, _ := count(tx); n != want || bytes != 1000*want || again != n {
						t.Errorf("%d rows of %d bytes in all, then %d, want %d of 1000", n, bytes, again, want)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		out.Wait()
	}
	insert(2000)
	for range usesToGrow {
		together(2000)
	}
	if n := s.share.mappings.count(); n != 1 {
		t.Fatalf("%d files are mapped", n)
	}
	for _, m := range s.share.mappings.all {
		if m.users != readers {
			t.Errorf("%d connections share the mapping", m.users)
		}
	}
	for range 3 {
		insert(1000)
	}
	s.check(w.Compact(ctx, true)) // a checkpoint: what was appended is in the file now
	together(5000)
	whole := func() {
		t.Helper()
		c, err := b.readers.Acquire(ctx)
		s.check(err)
		defer b.readers.Release(c)
		st, err := os.Stat(s.folder.Path("a"))
		s.check(err)
		if n := unixFile(native.File(c.db)).FmmapSize; n != st.Size() {
			t.Errorf("%d bytes may be read in memory, the file has %d", n, st.Size())
		}
	}
	whole()
	s.check(w.Read(ctx, func(tx *store.Tx) error {
		before, _ := count(tx)
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("DELETE FROM note WHERE rowid > 10")
			return err
		}))
		if n, _ := count(tx); n != before {
			t.Errorf("%d rows within a read that began with %d", n, before)
		}
		return nil
	}))
	s.check(w.Compact(ctx, true))
	together(10)
	whole()
	insert(1000)
	together(1010)
	w.Suspend()
	if n := s.share.mappings.count(); n != 0 {
		t.Errorf("%d files are mapped and no connection is open", n)
	}
	together(1010)
}

// A checkpoint on a connection that shares a mapping makes the file longer. SQLite does not
// replace the mapping, a part of which it would unmap.
func TestACheckpointLeavesASharedMapping(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	w := s.made("a", "")
	b := w.Backend().(*world)
	b.crowded.Store(true) // readers are other connections than the writer
	insert := func() {
		t.Helper()
		s.check(w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", strings.Repeat("x", 1<<20))
			return err
		}))
	}
	insert()
	c, err := b.readers.Acquire(ctx)
	s.check(err)
	defer b.readers.Release(c)
	s.check(mapFile(c))
	memory := c.mapping.memory
	unchanged := func(after string) {
		t.Helper()
		f := unixFile(native.File(c.db))
		if f.FpMapRegion != uintptr(unsafe.Pointer(unsafe.SliceData(memory))) || f.FmmapSizeActual != int64(len(memory)) || f.FmmapSizeMax != int64(len(memory)) {
			t.Fatalf("after %s the file is mapped at %x with %d bytes, at most %d", after, f.FpMapRegion, f.FmmapSizeActual, f.FmmapSizeMax)
		}
	}
	for range 3 {
		insert()
		before, err := os.Stat(s.folder.Path("a"))
		s.check(err)
		s.check(c.runAnew("PRAGMA wal_checkpoint(PASSIVE)"))
		after, err := os.Stat(s.folder.Path("a"))
		s.check(err)
		if after.Size() <= before.Size() {
			t.Fatalf("the file has %d bytes after a checkpoint, and had %d", after.Size(), before.Size())
		}
		unchanged("a checkpoint")
	}
	s.check(c.runAnew("PRAGMA mmap_size = 65536"))
	unchanged("a change of the limit")
}
