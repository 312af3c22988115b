package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/store/sqlite/native"
)

// joins is a file whose state is known: note holds rows, and state the number of the
// last commit and the sum over the rows.
type joins struct {
	fixture
	c            *conn
	acknowledged atomic.Int64 // the number of the last commit
	images       int
}

const sumOfNotes = "SELECT coalesce(sum(id * length(text)), 0) FROM note"

func newJoins(t *testing.T, pageSize int) *joins {
	s := &joins{fixture: newFixture(t, t.TempDir())}
	db, err := sql.Open("sqlite", s.folder.Path("a"))
	s.check(err)
	_, err = db.Exec(fmt.Sprintf("PRAGMA page_size = %d; VACUUM", pageSize))
	s.check(errors.Join(err, db.Close()))
	s.c = s.connected()
	s.check(native.CountLog(s.c.db))
	for _, text := range []string{"CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)", "CREATE TABLE state (number INTEGER, sum INTEGER)", "INSERT INTO state VALUES (0, 0)"} {
		s.check(s.c.runAnew(text))
	}
	return s
}

func (s *joins) connected() *conn {
	c, err := s.dial("a", fewPages, pragmas)
	s.check(err)
	s.t.Cleanup(func() { _ = c.close() })
	return c
}

func (s *joins) run(text string, args ...any) {
	s.t.Helper()
	if _, err := s.c.Exec(text, args); err != nil {
		s.t.Fatal(err)
	}
}

// begin starts a transaction and makes the changes by which its state is known.
func (s *joins) begin(change func()) {
	s.check(s.c.run("BEGIN IMMEDIATE"))
	change()
	s.run("UPDATE state SET number = ?, sum = ("+sumOfNotes+")", s.acknowledged.Load()+1)
}

func (s *joins) commit() error {
	err := commitJoined(s.c)
	if err == nil {
		s.acknowledged.Add(1)
		return nil
	}
	_ = s.c.run(rollback)
	return err
}

// seen returns the number of the last commit that a connection reads. It fails for
// half a commit.
func (s *joins) seen(c *conn) (number int64) {
	var sum, want int64
	if _, err := store.NewTx(c, store.SQLite).Get("SELECT number, sum, ("+sumOfNotes+") FROM state", nil, &number, &sum, &want); err != nil || sum != want {
		s.t.Errorf("commit %d has the sum %d, the rows have %d: %v", number, sum, want, err)
	}
	return number
}

// left returns the number of the last commit in what a crash would leave now.
func (s *joins) left() (number int64) {
	s.images++
	to := filepath.Join(s.dir, fmt.Sprint("image", s.images))
	for _, suffix := range []string{"", "-wal"} {
		s.check(files.CopyFile(s.folder.Path("a")+suffix, to+suffix, false))
	}
	db, err := sql.Open("sqlite", to)
	s.check(err)
	defer func() { _ = db.Close() }()
	var sum, want int64
	var sound string
	s.check(db.QueryRow("SELECT number, sum, ("+sumOfNotes+") FROM state").Scan(&number, &sum, &want))
	s.check(db.QueryRow("PRAGMA integrity_check").Scan(&sound))
	if sum != want || sound != "ok" {
		s.t.Errorf("a crash leaves commit %d with the sum %d where the rows have %d: %s", number, sum, want, sound)
	}
	return number
}

// replaced makes a test's function write to the log of a connection in a transaction.
func (s *joins) replaced(write func(tls *libc.TLS, at, from uintptr, n int32, offset int64) int32) (undo func()) {
	f := unixFile(native.Log(s.c.db))
	own := (*sqlite3.Tsqlite3_io_methods)(address(f.FpMethod))
	before := own.FxWrite
	tls := libc.NewTLS()
	table := (*sqlite3.Tsqlite3_io_methods)(address(libc.Xmalloc(tls, 512)))
	*table = *own
	checked := func(tls *libc.TLS, at, from uintptr, n int32, offset int64) int32 {
		if rc := write(tls, at, from, n, offset); rc != sqlite3.SQLITE_OK {
			return rc
		}
		return callWrite(before, tls, at, from, n, offset)
	}
	keep := &checked
	table.FxWrite = *(*uintptr)(unsafe.Pointer(keep))
	f.FpMethod = uintptr(unsafe.Pointer(table))
	return func() {
		unixFile(native.Log(s.c.db)).FpMethod = uintptr(unsafe.Pointer(own))
		libc.Xfree(tls, uintptr(unsafe.Pointer(table)))
		tls.Close()
		_ = *keep
	}
}

// hookParts replaces writeParts during a test.
func hookParts(t *testing.T, f func(tls *libc.TLS, fd int32, parts uintptr, n int32, offset int64) int64) {
	writeParts = f
	t.Cleanup(func() { writeParts = libc.Xpwritev })
}

// All frames of a commit are written with one call of the system.
func TestFramesOfACommitAreWrittenTogether(t *testing.T) {
	s := newJoins(t, framePage)
	s.check(s.c.runAnew("PRAGMA cache_size = 1000"))
	var together []int32
	hookParts(t, func(tls *libc.TLS, fd int32, parts uintptr, n int32, offset int64) int64 {
		together = append(together, n/2)
		return libc.Xpwritev(tls, fd, parts, n, offset)
	})
	for _, pages := range []int{1, 30, 3 * joinedFrames} {
		together = nil
		s.begin(func() { s.run("INSERT INTO note (text) VALUES (?)", strings.Repeat("x", pages*framePage)) })
		apart := 0
		undo := s.replaced(func(_ *libc.TLS, _, _ uintptr, n int32, _ int64) int32 {
			if n != 32 { // the header of the log
				apart++
			}
			return sqlite3.SQLITE_OK
		})
		err := s.commit()
		undo()
		s.check(err)
		frames := int32(0)
		for _, n := range together {
			frames += n
		}
		if apart > 0 || int(frames) < pages || len(together) != (int(frames)+joinedFrames-1)/joinedFrames {
			t.Errorf("%d pages: %d writes of parts, frames written together: %v", pages, apart, together)
		}
		if n := s.left(); n != s.acknowledged.Load() {
			t.Errorf("a crash leaves commit %d of %d", n, s.acknowledged.Load())
		}
	}
}

// Readers and a crash see all of a commit that was acknowledged, and nothing of one
// that was not: with each level of waiting for the disk, after frames that were
// written early and again, savepoints, rollbacks, checkpoints, writes that fail and
// writes that are cut off.
func TestJoinedCommitsAreWhole(t *testing.T) {
	for _, pageSize := range []int{framePage, 1024} { // frames of the smaller pages are not joined
		t.Run(fmt.Sprint(pageSize), func(t *testing.T) { commitsAreWhole(t, pageSize) })
	}
}

func commitsAreWhole(t *testing.T, pageSize int) {
	seed := uint64(clock.Real().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newJoins(t, pageSize)
	stop, readers := make(chan struct{}), sync.WaitGroup{}
	for range 2 {
		c := s.connected()
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
				if least, n := s.acknowledged.Load(), s.seen(c); n < least {
					t.Errorf("a reader sees commit %d after %d was acknowledged", n, least)
				}
			}
		})
	}
	defer readers.Wait()
	defer close(stop)
	beside := s.connected()
	cut := false // write only a part at first, and look what a crash would leave
	hookParts(t, func(tls *libc.TLS, fd int32, parts uintptr, n int32, offset int64) int64 {
		if cut {
			n = int32(r.IntN(int(n)))
		}
		written := libc.Xpwritev(tls, fd, parts, n, offset)
		if last := s.acknowledged.Load(); cut {
			if found := s.left(); found != last {
				t.Errorf("within commit %d a crash leaves %d", last+1, found)
			}
		}
		return written
	})
	failures, refused := 0, 0
	for end := clock.Real().Add(modelTime / 2); clock.Real().Before(end) && !t.Failed(); {
		s.check(s.c.runAnew("PRAGMA synchronous = " + []string{"OFF", "NORMAL", "FULL"}[r.IntN(3)]))
		s.check(s.c.runAnew(fmt.Sprintf("PRAGMA cache_size = %d", []int{4, 4, 12, 1000}[r.IntN(4)])))
		s.begin(func() {
			for i := range r.IntN(12) {
				text := strings.Repeat("x", r.IntN(1+r.IntN(20_000)))
				undone := r.IntN(5) == 0
				if undone {
					s.check(s.c.runAnew(fmt.Sprint("SAVEPOINT s", i)))
				}
				for range 1 + r.IntN(3) {
					switch id := r.IntN(40); r.IntN(3) {
					case 0:
						s.run("DELETE FROM note WHERE id = ?", id)
					default:
						s.run("INSERT OR REPLACE INTO note (id, text) VALUES (?, ?)", id, text)
					}
				}
				if undone {
					s.check(s.c.runAnew(fmt.Sprint("ROLLBACK TO s", i)))
					s.check(s.c.runAnew(fmt.Sprint("RELEASE s", i)))
				}
			}
		})
		last := s.acknowledged.Load()
		switch r.IntN(8) {
		case 0:
			s.check(s.c.run(rollback))
		case 1:
			if failures++; s.refusing(r) {
				refused++
			} else {
				last++
			}
		default:
			cut = r.IntN(4) == 0
			err := s.commit()
			cut = false
			s.check(err)
			last++
		}
		if n := s.acknowledged.Load(); n != last {
			t.Fatalf("commit %d was acknowledged after %d", n, last)
		}
		if seen := s.seen(s.c); seen != last {
			t.Errorf("the writer sees commit %d of %d", seen, last)
		}
		if seen := s.seen(beside); seen != last {
			t.Errorf("another connection sees commit %d of %d", seen, last)
		}
		if left := s.left(); left != last {
			t.Errorf("a crash leaves commit %d of %d", left, last)
		}
		if r.IntN(4) == 0 {
			by := []*conn{s.c, beside}[r.IntN(2)]
			s.check(by.runAnew("PRAGMA wal_checkpoint(" + []string{"PASSIVE", "FULL", "RESTART", "TRUNCATE"}[r.IntN(4)] + ")"))
		}
	}
	t.Logf("%d commits, %d of %d writes were refused", s.acknowledged.Load(), refused, failures)
}

// refusing commits while writes of the log are refused from one on, and reports
// whether the commit failed.
func (s *joins) refusing(r *rand.Rand) bool {
	left := r.IntN(4)
	code := []int32{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}[r.IntN(2)]
	refused := false
	undo := s.replaced(func(*libc.TLS, uintptr, uintptr, int32, int64) int32 {
		if left--; left < 0 {
			refused = true
			return code
		}
		return sqlite3.SQLITE_OK
	})
	whole := writeParts
	writeParts = func(tls *libc.TLS, fd int32, parts uintptr, n int32, offset int64) int64 {
		return libc.Xpwritev(tls, fd, parts, int32(r.IntN(int(n))), offset)
	}
	err := s.commit()
	writeParts = whole
	undo()
	if (err != nil) != refused {
		s.t.Errorf("a write was refused: %v; the commit: %v", refused, err)
	}
	return refused
}

// What a world writes is joined too, and a failed commit is the store's failure.
func TestWorldsJoinFrames(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made("a", "")
	s.write(w, "00000000") // grows the log
	calls := 0
	hookParts(t, func(tls *libc.TLS, fd int32, parts uintptr, n int32, offset int64) int64 {
		calls++
		return libc.Xpwritev(tls, fd, parts, n, offset)
	})
	for i := range 10 {
		s.write(w, fmt.Sprintf("%08d", i))
		if i == 5 {
			w.Suspend()
		}
	}
	if calls != 10 {
		t.Errorf("%d calls for 10 commits", calls)
	}
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		var n int64
		if _, err := tx.Get("SELECT count(*) FROM note", nil, &n); n != 11 {
			t.Errorf("%d rows: %v", n, err)
		}
		return nil
	}))
	s.check(w.Close())
}
