package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// post is an outbox with a receiver behind it. Every event goes to all destinations.
type post struct {
	t            *testing.T
	w            *store.World
	clock        *clock.Clock
	outbox       *outbox.Outbox
	url          string
	destinations []string
	gone         bool

	mu       sync.Mutex
	got      []string // key and text, in order of arrival
	answer   func(body string, n int) int
	finished []bool
}

func onBoth(t *testing.T, c func() *clock.Clock, test func(p *post)) {
	storetest.Run(t, []store.Schema{outbox.Schema()}, func(t *testing.T, w *store.World) {
		p := &post{t: t, w: w, clock: c(), destinations: []string{"one"}}
		p.listen()
		p.start()
		t.Cleanup(func() { p.outbox.Close() })
		test(p)
	})
}

func (p *post) listen() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.got = append(p.got, r.Header.Get("Try")+string(body))
		n, answer := len(p.got), p.answer
		p.mu.Unlock()
		if answer != nil {
			w.WriteHeader(answer(string(body), n))
		}
	}))
	p.t.Cleanup(s.Close)
	p.url = s.URL
}

// start makes the outbox and starts it, as opening an environment does.
func (p *post) start() {
	p.t.Helper()
	p.make()
	if err := p.outbox.Start(context.Background()); err != nil {
		p.t.Fatal(err)
	}
}

// make makes the outbox.
func (p *post) make() {
	p.outbox = outbox.New(outbox.Deps{World: p.w, Clock: p.clock, Bus: &bus.Bus{}, Client: outbound.New(true), Log: slog.New(slog.DiscardHandler)})
	p.outbox.Deliver("svc", &outbox.Dialect{
		Render: func(_ context.Context, d outbox.Delivery, e outbox.Event) (outbound.Request, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.gone {
				return outbound.Request{}, outbox.Gone
			}
			var text string
			if err := json.Unmarshal(e.Payload, &text); err != nil {
				return outbound.Request{}, err
			}
			r := outbound.Request{URL: p.url, Body: []byte(e.Key + text), Timeout: 20 * time.Second}
			if d.Tries > 0 {
				r.Header = map[string]string{"Try": fmt.Sprint(d.Tries)}
			}
			return r, nil
		},
		Final: func(r outbound.Reply) bool { return r.Header.Get("Never") != "" || r.Status == http.StatusGone },
		Finished: func(_ context.Context, _ string, ok bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.finished = append(p.finished, ok)
		},
		Retries: []time.Duration{100 * time.Millisecond, time.Minute, 5 * time.Minute},
	})
}

func (p *post) targets() (out []outbox.Target) {
	for _, d := range p.destinations {
		out = append(out, outbox.Target{Destination: d, Note: "n"})
	}
	return out
}

func (p *post) happen(key, text string) {
	p.t.Helper()
	payload, _ := json.Marshal(text)
	err := p.w.Write(context.Background(), func(tx *store.Tx) error {
		return p.outbox.Append(context.Background(), tx, outbox.Event{Service: "svc", Tenant: "t", Type: "x", Key: key, Payload: payload}, p.targets()...)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) until(what string, probe func() bool) {
	p.t.Helper()
	for began := clock.Real(); !probe(); time.Sleep(5 * time.Millisecond) {
		if clock.Real().Sub(began) > 10*time.Second {
			p.t.Fatalf("%s: not in time; got %v", what, p.arrived())
		}
	}
}

func (p *post) arrived() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

func (p *post) arrives(want ...string) {
	p.t.Helper()
	p.until(fmt.Sprint(want), func() bool { return len(p.arrived()) >= len(want) })
	if got := p.arrived(); !slices.Equal(got, want) {
		p.t.Fatalf("got %v, want %v", got, want)
	}
}

func (p *post) list() []outbox.Detail {
	p.t.Helper()
	all, err := p.outbox.List(context.Background(), outbox.Filter{Limit: 10_000})
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

func (p *post) settles(want ...outbox.Status) {
	p.t.Helper()
	var got []outbox.Status
	p.until(fmt.Sprint(want), func() bool {
		got = nil
		for _, d := range p.list() {
			got = append(got, d.Status)
		}
		return slices.Equal(got, want)
	})
}

func (p *post) answers(f func(body string, n int) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = f
}

func TestDeliveredInOrderOnce(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		var want []string
		for i := range 60 {
			p.happen("k", fmt.Sprint(i))
			want = append(want, "k"+fmt.Sprint(i))
		}
		p.arrives(want...)
		p.until("all settled", func() bool {
			return !slices.ContainsFunc(p.list(), func(d outbox.Detail) bool { return d.Status != outbox.Delivered })
		})
		d := p.list()[0]
		if len(d.Tried) != 1 || d.Tried[0].Status != 200 || d.Tried[0].URL != p.url || d.Tried[0].Took <= 0 || d.Note != "n" {
			p.t.Errorf("%+v", d)
		}
	})
}

// The outbox of a world in which nothing waits is not read: what is appended before it is
// started is delivered all the same, and in order.
func TestAnEmptyOutboxDelivers(t *testing.T) {
	for _, early := range []bool{false, true} {
		t.Run(fmt.Sprintf("early=%v", early), func(t *testing.T) {
			onBoth(t, clock.System, func(p *post) {
				p.outbox.Close()
				p.make()
				if early {
					p.happen("a", "1")
				}
				if err := outbox.StartEmpty(context.Background(), p.outbox); err != nil {
					p.t.Fatal(err)
				}
				p.happen("a", "2")
				if early {
					p.arrives("a1", "a2")
				} else {
					p.arrives("a2")
				}
			})
		})
	}
}

func TestOrderHoldsForConcurrentChanges(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 40 {
					p.happen(fmt.Sprint("k", w, "."), fmt.Sprint(100+i))
				}
			}()
		}
		wg.Wait()
		p.until("all", func() bool { return len(p.arrived()) >= 320 })
		last := map[string]string{}
		for _, g := range p.arrived() {
			if key := g[:3]; g <= last[key] {
				p.t.Errorf("%s after %s", g, last[key])
			}
			last[g[:3]] = g
		}
		if n := len(p.arrived()); n != 320 {
			p.t.Errorf("%d deliveries of 320", n)
		}
	})
}

func TestNothingWithoutItsChange(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		err := p.w.Write(context.Background(), func(tx *store.Tx) error {
			_ = p.outbox.Append(context.Background(), tx, outbox.Event{Service: "svc", Payload: []byte(`"undone"`)}, p.targets()...)
			return io.EOF
		})
		if err == nil {
			p.t.Fatal("no error")
		}
		p.happen("k", "done")
		p.arrives("kdone")
		p.settles(outbox.Delivered)
	})
}

func TestRetriesOnTheClock(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	onBoth(t, func() *clock.Clock { return clock.At(start) }, func(p *post) {
		p.answers(func(string, int) int { return 500 })
		p.happen("k", "a")
		p.arrives("ka")
		time.Sleep(200 * time.Millisecond)
		p.arrives("ka")
		for i, d := range []time.Duration{time.Second, time.Minute, 5 * time.Minute} {
			p.clock.Advance(d)
			p.until("the retry", func() bool { return len(p.arrived()) == i+2 })
		}
		p.arrives("ka", "1ka", "2ka", "3ka")
		p.settles(outbox.Failed)
		d := p.list()[0]
		if len(d.Tried) != 4 || d.Tried[3].At != start.Add(6*time.Minute+time.Second).UnixMicro() {
			p.t.Errorf("%+v", d.Tried)
		}
		ended := func() []bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return slices.Clone(p.finished)
		}
		p.until("word of the end", func() bool { return len(ended()) > 0 }) // it follows the commit
		if !slices.Equal(ended(), []bool{false}) {
			p.t.Errorf("finished %v", ended())
		}
	})
}

// A delivery that fails leaves its lane after its first retry; until then it
// blocks only that lane.
func TestARefusedEventStepsAside(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		p.answers(func(body string, _ int) int {
			if body == "kbad" {
				return 500
			}
			return 200
		})
		p.happen("k", "bad")
		p.happen("k", "good")
		p.happen("other", "good")
		p.until("both good ones", func() bool { return len(p.arrived()) >= 4 })
		got := p.arrived()
		if slices.Index(got, "kgood") < slices.Index(got, "1kbad") || !slices.Contains(got, "othergood") {
			p.t.Errorf("%v", got)
		}
		p.settles(outbox.Pending, outbox.Delivered, outbox.Delivered)
	})
}

func TestFinalAndGone(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		p.answers(func(string, int) int { return http.StatusGone })
		p.happen("k", "a")
		p.settles(outbox.Failed)
		p.mu.Lock()
		p.gone = true
		p.mu.Unlock()
		p.happen("k", "b")
		p.settles(outbox.Failed, outbox.Cancelled)
		if n := len(p.arrived()); n != 1 {
			p.t.Errorf("%d requests", n)
		}
	})
}

// While no receiver listens the outbox is closed and opened; once one listens,
// everything arrives soon and in order.
func TestReceiverDownAndProgramEnded(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		up := p.url
		p.url = "http://127.0.0.1:9"
		for i := range 600 { // more than is loaded at once
			p.happen(fmt.Sprint("k", i%2, "."), fmt.Sprintf("%04d", i))
		}
		p.until("an attempt", func() bool { return len(p.list()[0].Tried) > 0 })
		p.outbox.Close()
		if n := len(p.arrived()); n != 0 {
			p.t.Fatalf("%d arrived", n)
		}
		p.url = up
		p.start()
		p.happen("k1.", "9999")
		p.until("all", func() bool { return len(p.arrived()) >= 601 })
		last := map[byte]string{}
		for _, g := range p.arrived() {
			g = g[slices.Index([]byte(g), 'k'):]
			if g <= last[g[1]] {
				p.t.Fatalf("%s after %s", g, last[g[1]])
			}
			last[g[1]] = g
		}
		p.until("settled", func() bool {
			return !slices.ContainsFunc(p.list(), func(d outbox.Detail) bool { return d.Status != outbox.Delivered })
		})
	})
}

func TestReplay(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		p.happen("k", "a")
		p.settles(outbox.Delivered)
		id := p.list()[0].ID
		if _, err := p.outbox.Replay(context.Background(), id); err != nil {
			p.t.Fatal(err)
		}
		p.arrives("ka", "ka")
		p.until("both attempts", func() bool { d := p.list()[0]; return len(d.Tried) == 2 && d.Status == outbox.Delivered })
		if _, err := p.outbox.Replay(context.Background(), 1); err == nil {
			p.t.Error("an unknown delivery was replayed")
		}
	})
}

// A replay that is requested as soon as the one before has arrived is
// delivered, too.
func TestReplayAsSoonAsItArrives(t *testing.T) {
	clocks := map[string]func() *clock.Clock{"running": clock.System, "frozen": func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }}
	for name, c := range clocks {
		t.Run(name, func(t *testing.T) {
			onBoth(t, c, func(p *post) {
				p.happen("k", "a")
				p.arrives("ka")
				id := p.list()[0].ID
				want := []string{"ka"}
				for range 5 {
					if _, err := p.outbox.Replay(context.Background(), id); err != nil {
						p.t.Fatal(err)
					}
					want = append(want, "ka")
					p.arrives(want...)
				}
				p.until("all attempts", func() bool {
					d, err := p.outbox.Get(context.Background(), id)
					return err == nil && d.Status == outbox.Delivered && len(d.Tried) == len(want)
				})
			})
		})
	}
}

// A receiver that never answers blocks its own lanes and no others.
func TestAHangingReceiverHoldsNobodyUp(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		release := make(chan struct{})
		hung := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		p.t.Cleanup(func() { close(release); hung.Close() })
		p.url = hung.URL
		for i := range 50 {
			p.happen(fmt.Sprint("k", i), "x")
		}
		began := clock.Real()
		p.outbox.Close()
		if took := clock.Real().Sub(began); took > 3*time.Second {
			p.t.Errorf("closing took %s", took)
		}
		for _, d := range p.list() {
			if d.Status != outbox.Pending {
				p.t.Errorf("%s is %s", d.PublicID(), d.Status)
			}
		}
	})
}

func TestTrimmingKeepsWhatIsPending(t *testing.T) {
	w := storetest.SQLite(t, []store.Schema{outbox.Schema()})
	p := &post{t: t, w: w, clock: clock.At(time.Unix(1e9, 0)), destinations: []string{"one"}, url: "http://127.0.0.1:9"}
	p.start()
	defer func() { p.outbox.Close() }()
	p.happen("k", "first")
	p.until("an attempt", func() bool { return len(p.list()[0].Tried) > 0 })
	p.destinations = nil
	for range 250 {
		err := w.Write(context.Background(), func(tx *store.Tx) error {
			for range 100 {
				e := outbox.Event{Service: "svc", Key: "k", Payload: []byte(`"x"`)}
				if err := p.outbox.Append(context.Background(), tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var n int
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		all, err := p.outbox.Recent(tx, 100_000)
		n = len(all)
		if n > 0 && string(all[0].Payload) != `"first"` {
			t.Errorf("the pending event is gone; the oldest is %d", all[0].Seq)
		}
		return err
	})
	if err != nil || n > 20_600 || n < 20_000 {
		t.Errorf("%d events are storeEnded: %v", n, err)
	}
	if d := p.list(); len(d) != 1 || d[0].Status != outbox.Pending {
		t.Errorf("%+v", d)
	}
}

// What falls due while the clock is advanced arrives by due time, also at
// receivers that know nothing of one another.
func TestAdvancingKeepsOrderAcrossDestinations(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		const many = 8
		var want []string
		p.answer = func(_ string, n int) int {
			if n <= many {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		}
		for i := range many {
			p.destinations = []string{fmt.Sprint("to", i*5%many)}
			p.happen("k", fmt.Sprint(i))
			want = append(want, fmt.Sprint("k", i))
			p.arrives(want...)
			p.until("the refusal", func() bool { return len(p.list()[0].Tried) == 1 })
			p.clock.Advance(10 * time.Millisecond)
		}
		for i := range many {
			want = append(want, fmt.Sprint("1k", i))
		}
		p.clock.Advance(time.Hour)
		p.arrives(want...)
	})
}
