package record

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// tapped returns the tap of a request that has begun.
func tapped(rec *Recorder, body string) *Tap {
	r := httptest.NewRequest("POST", "/api/x", nil)
	t := NewTap(httptest.NewRecorder(), r)
	t.Begin(context.Background(), rec, "0123456789abcdef0123", time.Now())
	t.body.data = []byte(body)
	return t
}

// A service that is called much pushes out its own bodies and lines, not those of another.
func TestNoServicePushesOutAnother(t *testing.T) {
	rec := New(clock.System())
	for range 100 {
		rec.Add(tapped(rec, strings.Repeat("m", 1000)), Request{Service: "messaging", Method: "POST", Path: "/api/x"})
	}
	for range 2 * Recent.Lines {
		rec.Add(tapped(rec, strings.Repeat("c", 4000)), Request{Service: "ingest", Method: "POST", Path: "/api/y"})
	}
	kept := rec.List(Filter{Service: "messaging", Limit: 200})
	if len(kept) != 100 || kept[99].Dropped || len(kept[99].Body) != 1000 {
		t.Fatalf("%d of 100 are left, the oldest: %+v", len(kept), kept[len(kept)-1])
	}
	if n := len(rec.List(Filter{Service: "ingest", Limit: 2 * Recent.Lines})); n != Recent.Lines-100 {
		t.Errorf("%d captures are left", n)
	}
	_, bodies := rec.Lost()
	if bodies == 0 {
		t.Error("the bodies that went are not missed")
	}
	if bodies > rec.Last() {
		t.Error("the recording does not know what it lost")
	}
	rec.SetBounds(Full)
	if rec.Bounds() != Full {
		t.Error("the bounds stay")
	}
}

// Requests may end in another order than they began; lists are in the order of
// their beginnings.
func TestTheOrderIsThatOfArrival(t *testing.T) {
	rec := New(clock.System())
	var taps []*Tap
	for range 6 {
		taps = append(taps, tapped(rec, ""))
	}
	for i, at := range []int{3, 0, 5, 1, 4} { // the third has not ended
		rec.Add(taps[at], Request{Service: []string{"crm", "messaging"}[i%2], Path: fmt.Sprint(at)})
	}
	seqs := func(f Filter) (out string) {
		f.Limit = max(f.Limit, 1)
		for _, r := range rec.List(f) {
			out += fmt.Sprint(r.Seq, " ")
		}
		return strings.TrimSpace(out)
	}
	for want, f := range map[string]Filter{
		"6 5 4 2 1": {Limit: 10}, "1 2 4 5 6": {Limit: 10, Ascending: true}, "4 2": {Limit: 2, Before: 5}, "4 5": {Limit: 2, After: 2, Ascending: true},
		"6 5": {Limit: 10, After: 4}, "2 1": {Limit: 10, Service: "messaging"}, "": {Limit: 5, After: 6, Ascending: true},
	} {
		if got := seqs(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	rec.Add(taps[2], Request{Service: "crm", Path: "2"})
	if got := seqs(Filter{Limit: 10, Ascending: true}); got != "1 2 3 4 5 6" {
		t.Errorf("one that ended late: %q", got)
	}
	if r, ok := rec.Get(3); !ok || r.Path != "2" {
		t.Errorf("%+v", r)
	}
	if _, ok := rec.Get(7); ok {
		t.Error("a request that was not made")
	}
}

// Requests that were stored while another was in progress are not stored again,
// and that one is stored later.
func TestALateRequestIsKeptToo(t *testing.T) {
	rec := New(clock.System())
	late, early := tapped(rec, "late"), tapped(rec, "early")
	rec.Add(early, Request{Service: "crm"})
	if n := len(rec.Unkept()); n != 1 {
		t.Fatal(n)
	}
	rec.Add(late, Request{Service: "crm"})
	rec.Replaced()
	if left := rec.Unkept(); len(left) != 1 || string(left[0].Body) != "late" {
		t.Errorf("to be kept: %+v", left)
	}
}

func TestALineWithoutBodiesIsSmall(t *testing.T) {
	const lines = 10_000
	rec := New(clock.System())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	operations := []string{"crm.POST /crm/v3/objects/{objectType}"}
	for i := range lines {
		tap := tapped(rec, strings.Repeat("b", 4096))
		tap.operations, tap.caller = operations, Caller{Principal: fmt.Sprint("portal 1 token ", i%3), ID: fmt.Sprint("T", i%3)}
		rec.Add(tap, Request{ID: fmt.Sprintf("%020d", i), Service: "crm", Method: "POST", Path: strings.Clone("/api/crm/v3/objects/contacts")})
	}
	rec.SetBounds(Bounds{lines, 0})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / lines; each > 400 {
		t.Errorf("a line has %d bytes of memory", each)
	} else {
		t.Logf("a line has %d bytes of memory", each)
	}
	runtime.KeepAlive(rec)
}

func TestTraceparent(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for text, ok := range map[string]bool{
		good: true, "cc" + good[2:] + "-later-versions-may-have-more": true, good[:53] + "00": true,
		"": false, good + "-x": false, good[:54]: false, "ff" + good[2:]: false, strings.ToUpper(good): false, " " + good: false,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": false, "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01": false,
		"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01": false, strings.ReplaceAll(good, "-", "_"): false, "cc" + good[2:] + "x": false,
	} {
		got, read := ParseTraceparent(text)
		if read != ok || ok && (got.TraceID() != "4bf92f3577b34da6a3ce929d0e0e4736" || got.SpanID() != "00f067aa0ba902b7" || got.Header()[:53] != good[:53]) {
			t.Errorf("%q: %v %q", text, read, got.Header())
		}
		if !ok && got.Header() != "" {
			t.Errorf("%q is passed on as %q", text, got.Header())
		}
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseTraceparent(text)
		if !ok {
			return
		}
		if again, ok := ParseTraceparent(got.Header()); !ok || again != got {
			t.Errorf("%q was read as %q", text, got.Header())
		}
	})
}

func TestMatches(t *testing.T) {
	for pattern, names := range map[string]string{"a.b": "+a.b -a.bc -", "*": "+ +x", "crm.*search*": "+crm.POST /search +crm.search -crm.sear -messaging.search",
		"crm.POST *": "+crm.POST /x -crm.PUT /x", "a*a": "+aa +aba -a", "*x*y*": "+xy +axbyc -yx"} {
		for name := range strings.SplitSeq(strings.ReplaceAll(names, "crm.POST /", "crm.POST_/"), " ") {
			want, name := strings.HasPrefix(name, "+"), strings.ReplaceAll(name[min(1, len(name)):], "_", " ")
			if Matches(pattern, name) != want {
				t.Errorf("%q %q: %v", pattern, name, !want)
			}
		}
	}
}
