package sqlite

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store/sqlite/native"
)

// Whatever SQLite does with the log within a commit, in whatever order, it finds what
// it has written; and the file has all of it with the page after a mark, a header that
// is written anew, and before the disk is waited for.
func TestTheLogIsAFileToSQLite(t *testing.T) {
	seed := uint64(clock.Real().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newJoins(t, framePage)
	s.check(s.c.run("BEGIN IMMEDIATE"))
	s.run("UPDATE state SET number = 1")
	at := native.Log(s.c.db)
	tls := libc.NewTLS()
	defer tls.Close()
	want, err := os.ReadFile(s.folder.Path("a") + "-wal")
	s.check(err)
	const steps, limit = 100, 30 * (frameHeader + framePage)
	memory := libc.Xmalloc(tls, (steps+1)*framePage)
	defer libc.Xfree(tls, memory)
	size := memory + steps*framePage
	ok := func(rc int32) {
		t.Helper()
		if rc != sqlite3.SQLITE_OK {
			t.Fatalf("code %d", rc)
		}
	}
	written := func(after string) {
		t.Helper()
		if got, err := os.ReadFile(s.folder.Path("a") + "-wal"); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("after %s the file has %d other bytes than the %d that were written: %v", after, len(got), len(want), err)
		}
	}
	for range 60 {
		j := acquireJoiner()
		j.use(at)
		next, top, header, marked := r.Int64N(limit), int64(0), false, false // the last write was a header
		for step := range uintptr(steps) {
			place := unsafe.Slice((*byte)(address(memory+step*framePage)), framePage) // pages stay where they are
			switch from := r.IntN(len(want)); r.IntN(20) {
			case 0:
				part := place[:min(len(place), len(want)-from)]
				if ok(joinedRead(tls, at, memory+step*framePage, int32(len(part)), int64(from))); !bytes.Equal(part, want[from:from+len(part)]) {
					t.Fatalf("%d bytes at %d are not those that were written", len(part), from)
				}
			case 1:
				ok(joinedSync(tls, at, sqlite3.SQLITE_SYNC_NORMAL))
				written("a flush")
			case 2:
				want = want[:max(from, 1)]
				ok(joinedTruncate(tls, at, int64(len(want))))
				written("a truncation")
			case 3:
				if ok(joinedSize(tls, at, size)); *(*int64)(address(size)) != int64(len(want)) {
					t.Fatalf("the file has %d bytes, not %d", *(*int64)(address(size)), len(want))
				}
			default:
				n := frameHeader
				if header {
					n = framePage
				}
				if r.IntN(12) == 0 {
					next, n = r.Int64N(limit), []int{frameHeader, framePage, 32}[r.IntN(3)]
				}
				for i := range place[:n] {
					place[i] = byte(r.Uint32())
				}
				mark := n == frameHeader && r.IntN(4) == 0
				if n == frameHeader && !mark {
					clear(place[4:8])
				}
				want = append(want, make([]byte, max(0, int(next)+n-len(want)))...)
				copy(want[next:], place[:n])
				anew, follows := n == frameHeader && next < top, n == framePage && header
				ok(joinWrite(tls, at, memory+step*framePage, int32(n), next))
				switch {
				case anew:
					written("a header anew")
				case follows && marked:
					written("the last page")
				}
				if n == frameHeader {
					clear(place[:n]) // SQLite uses its memory again
				}
				next += int64(n)
				top, header, marked = max(top, next), n == frameHeader, mark
			}
		}
		ok(joinedSync(tls, at, sqlite3.SQLITE_SYNC_NORMAL))
		written("a commit")
		j.leave(at)
		releaseJoiner(j)
	}
	s.check(s.c.run(rollback))
}
