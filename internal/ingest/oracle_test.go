package ingest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"understudy/internal/ingest"
)

// world is what a test has captured, to be asked naively.
type world struct {
	events  []ingest.Event
	session map[string]ingest.Session
}

var vocabulary = []string{"refund", "order", "Ärger", "timeout", "订单", "shipped", "café", "x1"}

func randomWorld(t *testing.T, in *ingest.Ingest, r *rand.Rand, n int) *world {
	w := &world{session: map[string]ingest.Session{}}
	for i := range 12 { // sessions 12 to 19 are known by their events alone
		s := ingest.Session{ID: fmt.Sprint("s", i), User: []string{"", "u1", "u2", "u4"}[r.IntN(4)], Client: fmt.Sprint("client", i%3), Started: start + r.Int64N(60*3600*1000)}
		if s.User != "" {
			s.Traits = ingest.Members{"plan": json.RawMessage(`"` + map[string]string{"u1": "pro", "u2": "free", "u4": "pro"}[s.User] + `"`)}
		}
		if err := in.CaptureSession(ctx, project, s); err != nil {
			t.Fatal(err)
		}
		w.session[s.ID] = s
	}
	for i := range n {
		e := random(r, i)
		e.ID = fmt.Sprint("e", i)
		e.Type = []string{"tool", "search", "", "agent", "model", "step"}[r.IntN(6)]
		if i > 0 && r.IntN(3) == 0 {
			e.Parent = fmt.Sprint("e", r.IntN(i))
		}
		e.Args = fmt.Sprintf(`{"query":"%s\n%s"}`, vocabulary[r.IntN(8)], vocabulary[r.IntN(8)])
		e.Result = vocabulary[r.IntN(8)] + " done"
		e.Metadata = fmt.Sprintf(`{"region":"r%d","deep":{"n":%d}}`, r.IntN(3), r.IntN(2))
		w.events = append(w.events, e)
	}
	for i := 0; i < n; {
		size := min(1+r.IntN(300), n-i)
		capture(t, in, w.events[i:i+size])
		i += size
	}
	return w
}

func (w *world) owner(e *ingest.Event) string {
	if e.User != "" {
		return e.User
	}
	return w.session[e.Session].User
}

func plan(user string) string { return map[string]string{"u1": "pro", "u2": "free", "u4": "pro"}[user] }

// kindOf returns the kind of an event by a rule of its own, for comparing with the package.
func kindOf(e *ingest.Event) ingest.Kind {
	switch {
	case e.Parent == "" && (e.Type == "" || e.Type == "agent"):
		return ingest.Turns
	case e.Type == "agent" || e.Type == "model" || e.Type == "step":
		return ingest.Steps
	}
	return ingest.Calls
}

func oneOf(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }

// passes is the meaning of a filter.
func (w *world) passes(e *ingest.Event, f *ingest.Filter) bool {
	words := strings.Fields(strings.ToLower(strings.NewReplacer(`\n`, " ", `"`, " ", "{", " ", "}", " ", ":", " ", "订单", " 订 单 ").Replace(e.Name + " " + e.Args + " " + e.Result)))
	found := len(f.Texts) == 0
	for _, q := range f.Texts {
		all := true
		for _, word := range strings.Fields(strings.ToLower(strings.ReplaceAll(q, "订单", "订 单"))) {
			all = all && slices.Contains(words, word)
		}
		found = found || all
	}
	for _, m := range f.Metadata {
		var doc struct {
			Region string
			Deep   struct{ N int }
		}
		_ = json.Unmarshal([]byte(e.Metadata), &doc)
		found = found && slices.Contains(m.Values, map[string]string{"region": doc.Region, "deep.n": fmt.Sprint(doc.Deep.N)}[m.Name])
	}
	for _, trait := range f.Traits {
		found = found && w.owner(e) != "" && slices.Contains(trait.Values, plan(w.owner(e)))
	}
	return found && e.Time >= f.From && (f.To == 0 || e.Time < f.To) && oneOf(f.Tools, e.Name) && oneOf(f.Names, e.Name) && oneOf(f.Types, e.Type) &&
		oneOf(f.Models, e.Model) && oneOf(f.Customers, e.Customer) && oneOf(f.Sessions, e.Session) && oneOf(f.Users, w.owner(e)) &&
		oneOf(f.Clients, w.session[e.Session].Client) && (f.Success == nil || *f.Success == e.Success) && (!f.Errors || !e.Success) && e.Latency >= f.MinLatency
}

func randomFilter(r *rand.Rand) (f ingest.Filter) {
	some := func(p float64, list ...string) (out []string) {
		if r.Float64() > p {
			return nil
		}
		for range 1 + r.IntN(2) {
			out = append(out, list[r.IntN(len(list))])
		}
		return out
	}
	f.Tools, f.Names, f.Types = some(.2, "tool0", "tool1", "none"), some(.1, "tool0", "tool2"), some(.15, "tool", "search")
	f.Models, f.Customers = some(.15, "m0", "m1"), some(.15, "c0", "c1")
	f.Sessions, f.Users, f.Clients = some(.15, "s1", "s2", "s15"), some(.15, "u1", "u3", "u9"), some(.15, "client0", "client1", "clientX")
	f.Texts = some(.3, "refund", "ärger timeout", "订单", "CAFÉ", "x1 done", "nothing")
	if r.IntN(4) == 0 {
		f.From = start + r.Int64N(50*3600*1000)
	}
	if r.IntN(4) == 0 {
		f.To = start + 10*3600*1000 + r.Int64N(50*3600*1000)
	}
	if v := some(.2, "r0", "r1", "r9"); v != nil {
		f.Metadata = append(f.Metadata, ingest.Named{Name: "region", Values: v})
	}
	if v := some(.1, "0", "1"); v != nil {
		f.Metadata = append(f.Metadata, ingest.Named{Name: "deep.n", Values: v})
	}
	if v := some(.2, "pro", "free"); v != nil {
		f.Traits = append(f.Traits, ingest.Named{Name: "plan", Values: v})
	}
	switch r.IntN(6) {
	case 0:
		yes := r.IntN(2) == 0
		f.Success = &yes
	case 1:
		f.Errors = true
	case 2:
		f.MinLatency = r.Int64N(300)
	}
	return f
}

// Every list and aggregate is what a naive look at all events comes to, for any filter.
func TestReadingIsWhatALookAtAllEventsComesTo(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		r := rand.New(rand.NewPCG(11, 5))
		w := randomWorld(t, in, r, 2500)
		for n := range 50 {
			f := randomFilter(r)
			var want []ingest.Event
			for i := range w.events {
				if w.passes(&w.events[i], &f) {
					want = append(want, w.events[i])
				}
			}
			name := fmt.Sprintf("filter %d %+v", n, f)
			if f.Success != nil {
				name += fmt.Sprint(" success ", *f.Success)
			}
			w.list(t, in, name, f, want)
			w.totals(t, in, name, f, want)
			w.series(t, in, name, f, want, r)
			w.sessions(t, in, name, f)
			w.overview(t, in, name, f, want)
		}
	})
}

func (w *world) list(t *testing.T, in *ingest.Ingest, name string, f ingest.Filter, want []ingest.Event) {
	got := map[string]bool{}
	for below, more := (ingest.Position{}), true; more; {
		var page []ingest.Listed
		var err error
		if page, more, err = in.Events(ctx, project, f, below, 400, true); err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			got[e.ID] = true
			below = e.Position
		}
	}
	for i := range want {
		if !got[want[i].ID] {
			t.Fatalf("%s: %s is not listed", name, want[i].ID)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d events, want %d", name, len(got), len(want))
	}
}

func (w *world) totals(t *testing.T, in *ingest.Ingest, name string, f ingest.Filter, want []ingest.Event) {
	for _, by := range []struct {
		by   ingest.Dimension
		kind ingest.Kind
		key  func(e *ingest.Event) string
	}{{ingest.ByName, ingest.Calls, func(e *ingest.Event) string { return e.Name }}, {ingest.ByName, ingest.Turns, func(e *ingest.Event) string { return e.Name }},
		{ingest.ByModel, ingest.Everything, func(e *ingest.Event) string { return e.Model }},
		{ingest.ByCustomer, ingest.Everything, func(e *ingest.Event) string { return e.Customer }}} {
		latencies, tokens := map[string][]int64{}, map[string]int64{}
		for i := range want {
			e := &want[i]
			if by.kind != ingest.Everything && by.kind != kindOf(e) {
				continue
			}
			latencies[by.key(e)] = append(latencies[by.key(e)], e.Latency)
			tokens[by.key(e)] += e.InputTokens
		}
		got, err := in.Totals(ctx, project, f, by.by, by.kind)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(latencies) {
			t.Fatalf("%s: %d totals, want %d", name, len(got), len(latencies))
		}
		for i := range got {
			g := &got[i]
			all := latencies[g.Key]
			if g.Events != int64(len(all)) || g.InputTokens != tokens[g.Key] {
				t.Fatalf("%s: %s has %d events, want %d", name, g.Key, g.Events, len(all))
			}
			for j, p := range g.Latencies.Percentiles(.5, .95, .99) {
				if want := exact(all, []float64{.5, .95, .99}[j]); math.Abs(p-want) > .02*want {
					t.Fatalf("%s: percentile %d of %s is %v, want %v", name, j, g.Key, p, want)
				}
			}
		}
	}
}

func (w *world) series(t *testing.T, in *ingest.Ingest, name string, f ingest.Filter, want []ingest.Event, r *rand.Rand) {
	q := ingest.SeriesQuery{Filter: f, Interval: []ingest.Interval{ingest.Hourly, ingest.Daily, ingest.Weekly}[r.IntN(3)], Top: 2 + 2*r.IntN(2), Fill: r.IntN(2) == 0, Distinct: r.IntN(2) == 0}
	keys := []func(e *ingest.Event) string{func(*ingest.Event) string { return "" }, func(e *ingest.Event) string { return e.Name },
		w.owner, func(e *ingest.Event) string { return fmt.Sprint(e.Success) }, func(e *ingest.Event) string { return plan(w.owner(e)) }}
	which := r.IntN(len(keys))
	q.By, q.Trait = []ingest.Dimension{ingest.ByNothing, ingest.ByName, ingest.ByUser, ingest.BySuccess, ingest.ByLabel}[which], "plan"
	got, err := in.Series(ctx, project, q)
	if err != nil {
		t.Fatal(err)
	}
	width := map[ingest.Interval]int64{ingest.Hourly: 3600_000, ingest.Daily: 24 * 3600_000, ingest.Weekly: 7 * 24 * 3600_000}[q.Interval]
	monday := int64(0)
	if q.Interval == ingest.Weekly {
		monday = 4 * 24 * 3600_000 // 1970 began on a Thursday
	}
	perKey := map[string]int{}
	for i := range want {
		perKey[keys[which](&want[i])]++
	}
	largest := slices.SortedFunc(maps.Keys(perKey), func(a, b string) int {
		if perKey[a] != perKey[b] {
			return perKey[b] - perKey[a]
		}
		return strings.Compare(a, b)
	})
	largest = largest[:min(len(largest), q.Top)]
	sums := map[string]int64{}
	users := map[string]map[string]bool{}
	for i := range want {
		e := &want[i]
		key := keys[which](e)
		if which > 0 && !slices.Contains(largest, key) {
			key = "rest"
		}
		at := fmt.Sprint(key, "@", e.Time-(e.Time-monday)%width)
		sums[at]++
		if users[at] == nil {
			users[at] = map[string]bool{}
		}
		if u := w.owner(e); u != "" {
			users[at][u] = true
		}
	}
	points := 0
	for i, s := range got {
		if which > 0 && !s.Rest && s.Key != largest[i] {
			t.Fatalf("%s: series %d is %q, want %q", name, i, s.Key, largest[i])
		}
		for _, p := range s.Points {
			key := s.Key
			if s.Rest {
				key = "rest"
			}
			at := fmt.Sprint(key, "@", p.Time)
			if p.Events != sums[at] || q.Distinct && p.Users != int64(len(users[at])) || !q.Fill && p.Events == 0 {
				t.Fatalf("%s: %s has %d events and %d users, want %d and %d", name, at, p.Events, p.Users, sums[at], len(users[at]))
			}
			if p.Events > 0 {
				points++
			}
		}
	}
	if points != len(sums) {
		t.Fatalf("%s: %d points, want %d", name, points, len(sums))
	}
}

// ofEvents reports whether a filter asks for something that events have.
func ofEvents(f *ingest.Filter) bool {
	return len(f.Tools)+len(f.Names)+len(f.Types)+len(f.Models)+len(f.Customers)+len(f.Texts)+len(f.Metadata) > 0 || f.Success != nil || f.Errors || f.MinLatency > 0
}

func (w *world) sessions(t *testing.T, in *ingest.Ingest, name string, f ingest.Filter) {
	anytime := f
	anytime.From, anytime.To = 0, 0
	with, first := map[string]bool{}, map[string]int64{}
	for i := range w.events {
		e := &w.events[i]
		with[e.Session] = with[e.Session] || w.passes(e, &anytime)
		if at, ok := first[e.Session]; !ok || e.Time < at {
			first[e.Session] = e.Time
		}
	}
	want := map[string]bool{}
	for i := range 20 {
		id := fmt.Sprint("s", i)
		s, known := w.session[id]
		began, ok := first[id]
		if known {
			began, ok = s.Started, true
		}
		pass := with[id]
		if !ofEvents(&f) {
			user := w.session[id].User
			byUser := len(f.Users)+len(f.Traits) > 0
			mine := oneOf(f.Users, user) && user != ""
			for _, trait := range f.Traits {
				mine = mine && slices.Contains(trait.Values, plan(user))
			}
			pass = !byUser || mine || with[id]
		}
		want[id] = ok && pass && began >= f.From && (f.To == 0 || began < f.To) && oneOf(f.Sessions, id) && oneOf(f.Clients, s.Client)
	}
	got := map[string]bool{}
	below := ingest.SessionPosition{}
	for {
		page, more, err := in.Sessions(ctx, project, f, below, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page {
			got[s.ID] = true
			below = ingest.SessionPosition{Started: s.Started, ID: s.ID}
		}
		if !more {
			break
		}
	}
	for id, yes := range want {
		if got[id] != yes {
			t.Fatalf("%s: session %s is listed: %v", name, id, got[id])
		}
	}
}

func (w *world) overview(t *testing.T, in *ingest.Ingest, name string, f ingest.Filter, want []ingest.Event) {
	now, before, err := in.Overview(ctx, project, f)
	if err != nil {
		t.Fatal(err)
	}
	turns, calls, customers := int64(0), int64(0), map[string]bool{}
	for i := range want {
		switch kindOf(&want[i]) {
		case ingest.Turns:
			turns++
		case ingest.Calls:
			calls++
		}
		customers[want[i].Customer] = true
	}
	if now.Events != int64(len(want)) || now.Turns != turns || now.Calls != calls || now.Customers != int64(len(customers)) {
		t.Fatalf("%s: overview %+v, want %d events", name, now, len(want))
	}
	if f.From == 0 {
		return
	}
	end := f.To
	if end == 0 {
		end = in.Now()
	}
	earlier := f
	earlier.From, earlier.To = f.From-(end-f.From), f.From
	n := int64(0)
	for i := range w.events {
		if w.passes(&w.events[i], &earlier) {
			n++
		}
	}
	if end > f.From && before.Events != n {
		t.Fatalf("%s: %d events before, want %d", name, before.Events, n)
	}
}
