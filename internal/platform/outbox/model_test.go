package outbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// modelTime is how long the model runs; UNDERSTUDY_MODEL_TIME is another.
const modelTime = 2 * time.Second

// The ways in which a receiver answers.
const (
	healthy = iota
	refusing
	hanging
	breaking
	down
	moods
)

// receiver is a destination. "steady" is always healthy: it gets each event of
// a key after the one before.
type receiver struct {
	name    string
	url     string
	mood    atomic.Int32
	removed atomic.Bool

	mu    sync.Mutex
	got   []string       // each that was taken, for the first time
	taken map[string]int // how often
}

// model is what a world's outbox must do: notify each destination of each event
// that was committed, over its end and its loss.
type model struct {
	t         *testing.T
	databases store.Store
	schemas   []store.Schema
	clock     *clock.Clock
	receivers []*receiver

	open   sync.RWMutex // held for writing while the outbox is closed or lost
	round  int
	world  *store.World
	outbox *outbox.Outbox

	replayed map[string]int // what of steady was asked for again, and how often it had it then

	keys [4]struct {
		sync.Mutex
		next      int
		committed []string
	}
}

func newModel(t *testing.T, url string) *model {
	m := &model{t: t, schemas: []store.Schema{outbox.Schema()}, clock: clock.System(), replayed: map[string]int{}}
	var err error
	if m.databases, err = storetest.Open(context.Background(), url, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.databases.Close() })
	for _, name := range []string{"steady", "one", "two", "three"} {
		r := &receiver{name: name, taken: map[string]int{}}
		s := httptest.NewServer(r)
		t.Cleanup(s.Close)
		r.url = s.URL
		m.receivers = append(m.receivers, r)
	}
	if m.world, err = m.databases.Open(context.Background(), "m0", m.schemas); err != nil {
		t.Fatal(err)
	}
	m.start()
	return m
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	mood := r.mood.Load()
	if mood == hanging {
		<-req.Context().Done()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch mood {
	case healthy:
		if r.taken[string(body)]++; r.taken[string(body)] == 1 {
			r.got = append(r.got, string(body))
		}
	case breaking:
		c, _, _ := w.(http.Hijacker).Hijack()
		_ = c.Close()
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (m *model) receiver(name string) *receiver {
	return m.receivers[slices.IndexFunc(m.receivers, func(r *receiver) bool { return r.name == name })]
}

func (m *model) start() {
	m.outbox = outbox.New(outbox.Deps{World: m.world, Clock: m.clock, Bus: &bus.Bus{}, Client: outbound.New(true), Log: slog.New(slog.DiscardHandler)})
	m.outbox.Deliver("svc", &outbox.Dialect{
		Render: func(_ context.Context, d outbox.Delivery, e outbox.Event) (outbound.Request, error) {
			r := m.receiver(d.Destination)
			if r.removed.Load() {
				return outbound.Request{}, outbox.Gone
			}
			req := outbound.Request{URL: r.url, Body: e.Payload, Timeout: 5 * time.Second}
			switch r.mood.Load() {
			case down:
				req.URL = "http://127.0.0.1:9"
			case hanging:
				req.Timeout = 50 * time.Millisecond
			}
			return req, nil
		},
		Final:    func(outbound.Reply) bool { return false },
		Finished: func(context.Context, string, bool) {},
		Retries:  []time.Duration{20 * time.Millisecond, time.Minute, 5 * time.Minute},
	})
	if err := m.outbox.Start(context.Background()); err != nil {
		m.t.Fatal(err)
	}
}

// targets returns the receivers that are there.
func (m *model) targets() (out []outbox.Target) {
	for _, r := range m.receivers {
		if !r.removed.Load() {
			out = append(out, outbox.Target{Destination: r.name})
		}
	}
	return out
}

// happen commits events of a key as a service does, in one transaction after
// another. The outbox stays open meanwhile.
func (m *model) happen(key, n int) {
	k := &m.keys[key]
	var bodies []string
	err := m.world.Write(context.Background(), func(tx *store.Tx) error {
		if lock := tx.Dialect().Pick("", fmt.Sprintf("SELECT pg_advisory_xact_lock(hashtext(current_schema()), %d)", key)); lock != "" {
			if _, err := tx.Exec(lock); err != nil {
				return err
			}
		}
		bodies = nil
		for range n {
			k.Lock()
			k.next++
			body := fmt.Sprintf(`"k%d %06d"`, key, k.next)
			k.Unlock()
			bodies = append(bodies, body)
			e := outbox.Event{Service: "svc", Tenant: "t", Type: "x", Key: fmt.Sprint(key), Payload: []byte(body)}
			if err := m.outbox.Append(context.Background(), tx, e, m.targets()...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		m.t.Error(err)
		return
	}
	k.Lock()
	k.committed = append(k.committed, bodies...)
	k.Unlock()
}

// step does something to the outbox, its clock or a receiver.
func (m *model) step(r *rand.Rand) {
	m.open.RLock()
	defer m.open.RUnlock()
	switch n := r.IntN(100); {
	case n < 3:
		m.happen(r.IntN(len(m.keys)), 500)
	case n < 40:
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
	case n < 65:
		m.receivers[1+r.IntN(3)].mood.Store(int32(r.IntN(moods)))
	case n < 75:
		list, err := m.outbox.List(context.Background(), outbox.Filter{Limit: 1 + r.IntN(40)})
		if err == nil && len(list) > 0 {
			m.replay(list[r.IntN(len(list))])
		}
	case n < 80:
		m.clock.Freeze(m.clock.Now().Add(-time.Duration(r.IntN(3)) * time.Second))
	case n < 90:
		m.clock.Run()
	case n < 98:
		d := time.Duration(r.IntN(62)) * time.Second
		m.clock.Advance(d)
	default:
		one := m.receiver("three")
		if one.removed.Swap(true) {
			return
		}
		if err := m.world.Write(context.Background(), func(tx *store.Tx) error { return m.outbox.Cancel(tx, "svc", "three") }); err != nil {
			m.t.Error(err)
		}
	}
}

// replay asks for a delivery once more: the receiver gets it after this.
func (m *model) replay(d outbox.Detail) {
	r, body := m.receiver(d.Destination), string(d.Event.Payload)
	r.mu.Lock()
	before := r.taken[body]
	r.mu.Unlock()
	if _, err := m.outbox.Replay(context.Background(), d.ID); err == nil && d.Destination == "steady" {
		m.replayed[body] = before
	}
}

// reopen is a clean end and a start.
func (m *model) reopen() {
	m.open.Lock()
	defer m.open.Unlock()
	m.outbox.Close()
	m.start()
}

// lose leaves only what the database holds at this moment, whatever is under way.
func (m *model) lose() {
	m.open.Lock()
	defer m.open.Unlock()
	m.round++
	name := fmt.Sprint("m", m.round)
	if err := m.databases.Copy(context.Background(), m.world.Name, name); err != nil {
		m.t.Fatal(err)
	}
	m.outbox.Abort()
	if err := m.world.Close(); err != nil {
		m.t.Error(err)
	}
	var err error
	if m.world, err = m.databases.Open(context.Background(), name, m.schemas); err != nil {
		m.t.Fatal(err)
	}
	m.start()
}

// end makes all receivers healthy and checks that every event was delivered.
func (m *model) end() {
	m.clock.Run()
	for _, r := range m.receivers {
		r.mood.Store(healthy)
	}
	list := func(f outbox.Filter) []outbox.Detail {
		all, err := m.outbox.List(context.Background(), f)
		if err != nil {
			m.t.Fatal(err)
		}
		return all
	}
	for began := clock.Real(); len(list(outbox.Filter{Status: outbox.Pending, Limit: 1})) > 0; {
		if clock.Real().Sub(began) > time.Minute {
			for _, d := range list(outbox.Filter{Status: outbox.Pending, Limit: 20}) {
				m.t.Errorf("pending: %s to %s, %d tries, due %d, now %d, %s", d.Event.Payload, d.Destination, d.Tries, d.Due, m.clock.Micros(), d.Reason)
			}
			break
		}
		time.Sleep(20 * time.Millisecond)
		m.clock.Advance(time.Minute)
	}
	m.judge(list(outbox.Filter{Limit: 100_000}))
	m.outbox.Close()
	if err := m.world.Close(); err != nil {
		m.t.Error(err)
	}
}

func (m *model) judge(list []outbox.Detail) {
	status := map[string]outbox.Detail{}
	for _, d := range list {
		status[d.Destination+string(d.Event.Payload)] = d
	}
	for _, r := range m.receivers {
		r.mu.Lock()
		for key := range m.keys {
			for _, body := range m.keys[key].committed {
				d, known := status[r.name+body]
				switch {
				case r.taken[body] > 0, r.removed.Load():
				case !known:
					m.t.Errorf("%s was not among the targets of %s", r.name, body)
				case d.Status != outbox.Failed || d.Tries < 4:
					m.t.Errorf("%s did not receive %s: %s after %d tries, last %q", r.name, body, d.Status, d.Tries, d.Reason)
				}
			}
		}
		r.mu.Unlock()
	}
	for body, before := range m.replayed {
		if n := m.receivers[0].taken[body]; n <= before {
			m.t.Errorf("%s was taken %d times, and was asked for again after %d", body, n, before)
		}
	}
	last := map[string]string{}
	for _, body := range m.receivers[0].got {
		if key := body[:3]; body < last[key] {
			m.t.Errorf("%s came after %s", body, last[key])
		} else {
			last[key] = body
		}
	}
}

// Whatever happens to receivers, clock and program, each event that was
// committed arrives, and a healthy receiver gets those of a key in order.
func TestEachEventArrivesWhateverHappens(t *testing.T) {
	long := modelTime
	if text := os.Getenv("UNDERSTUDY_MODEL_TIME"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	test := func(t *testing.T, url func() string) {
		t.Parallel()
		seed := uint64(clock.Real().UnixNano())
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		for began := clock.Real(); clock.Real().Sub(began) < long && !t.Failed(); {
			m := newModel(t, url())
			var stop atomic.Bool
			var writers sync.WaitGroup
			for w := range 8 {
				writers.Go(func() {
					for n := 0; n < 60 && !stop.Load(); n++ {
						m.open.RLock()
						m.happen(w%len(m.keys), 1)
						m.open.RUnlock()
						time.Sleep(time.Millisecond)
					}
				})
			}
			for range 2 {
				for range 20 {
					m.step(r)
				}
				if r.IntN(2) == 0 {
					m.reopen()
				} else {
					m.lose()
				}
			}
			stop.Store(true)
			writers.Wait()
			m.end()
		}
	}
	t.Run("sqlite", func(t *testing.T) { test(t, func() string { return "" }) })
	t.Run("postgres", func(t *testing.T) { test(t, func() string { return storetest.DatabaseURL(t) }) })
}
