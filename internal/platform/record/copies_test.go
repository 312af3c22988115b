package record

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"understudy/internal/platform/clock"
)

// Replies are copied into memory of earlier ones, several requests and readers at
// once: each reply is recorded as it was sent, and what a reader has does not
// change.
func TestWhatWasReadDoesNotChange(t *testing.T) {
	rec := New(clock.System())
	rec.SetBounds(Bounds{Lines: 1000, Bytes: 4 * MaxBody})
	whole := func(r Request) bool {
		return len(r.Reply) == 0 || bytes.Count(r.Reply, r.Reply[:1]) == len(r.Reply) && r.Reply[0] == letter(r.ID)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var read []Request
			for i := range 600 {
				id := string(rune('a' + rand.IntN(26)))
				body := bytes.Repeat([]byte{letter(id)}, 1+rand.IntN(MaxBody+MaxBody/2))
				tap := NewTap(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
				tap.Begin(t.Context(), rec, id, clock.Real())
				for from := 0; from < len(body); {
					n := min(1+rand.IntN(len(body)), len(body)-from)
					_, _ = tap.Write(body[from : from+n])
					from += n
				}
				rec.Add(tap, Request{ID: id, Service: id})
				tap.End()
				switch i % 50 {
				case 0:
					read = append(read, rec.List(Filter{Limit: 3})...)
				case 20:
					read = append(read, rec.Unkept()...)
				case 40:
					if r, ok := rec.Get(rec.Last() - 5); ok {
						read = append(read, r)
					}
				}
				if len(read) > 500 {
					read = read[250:]
				}
			}
			for _, r := range append(read, rec.All()...) {
				if !whole(r) {
					t.Errorf("request %d is recorded as %.40q of %q", r.Seq, r.Reply, r.ID)
					return
				}
			}
		})
	}
	all.Wait()
}

func letter(id string) byte { return id[0] - 'a' + 'A' }

// Long replies one after another need no new memory.
func TestCopiesAreUsedAgain(t *testing.T) {
	rec := New(clock.System())
	rec.SetBounds(Bounds{Lines: 100, Bytes: 1 << 20})
	body := make([]byte, 40_000)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	w.Body = nil
	const times = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		tap := NewTap(w, r)
		_, _ = tap.Write(body)
		rec.Add(tap, Request{})
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > uint64(len(body)/2) { // in tests for races a pool loses some
		t.Errorf("a reply of %d bytes takes %d bytes of new memory", len(body), each)
	}
}
