package environment

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// probe is a service that tells a receiver of its events and holds streams.
type probe struct {
	receiver string
	streams  atomic.Int64
	settle   func(ctx context.Context) error // what an operation waits for
}

func (*probe) Name() string { return "probe" }
func (*probe) Schema() store.Schema {
	return store.Schema{Name: "probe", Tables: map[string]store.Class{"probe": store.WorldClass},
		Migrations: fstest.MapFS{"0001_probe.sql": &fstest.MapFile{Data: []byte("CREATE TABLE probe (id TEXT PRIMARY KEY);")}}}
}

func (p *probe) Open(env *Environment) (Instance, error) {
	env.Outbox.Deliver("probe", &outbox.Dialect{
		Route: func(context.Context, *store.Tx, *outbox.Event) ([]outbox.Target, error) {
			return []outbox.Target{{Destination: "receiver"}}, nil
		},
		Render: func(context.Context, outbox.Delivery, outbox.Event) (outbound.Request, error) {
			return outbound.Request{URL: p.receiver, Body: []byte("{}")}, nil
		},
		Final:    func(outbound.Reply) bool { return false },
		Finished: func(context.Context, string, bool) {},
		Retries:  []time.Duration{2 * time.Hour},
	})
	return &instance{p: p}, nil
}

type instance struct{ p *probe }

func (*instance) ServeHTTP(http.ResponseWriter, *http.Request)     {}
func (*instance) Provision(context.Context) error                  { return nil }
func (*instance) Credentials(context.Context, string) (any, error) { return nil, nil }
func (*instance) Counts(context.Context) (Counts, error)           { return Counts{}, nil }
func (*instance) Close()                                           {}
func (*instance) EndStreams()                                      {}
func (i *instance) Settle(ctx context.Context) error {
	if i.p.settle == nil {
		return nil
	}
	return i.p.settle(ctx)
}
func (i *instance) Streams() int { return int(i.p.streams.Load()) }

func manager(t *testing.T, dir string, p *probe) *Manager {
	t.Helper()
	return managerOn(t, "", dir, p)
}

func managerOn(t *testing.T, url, dir string, p *probe) *Manager {
	t.Helper()
	ctx := context.Background()
	s, err := storetest.Open(ctx, url, dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewManager(ctx, Options{Store: s, RootKey: make([]byte, 32), Services: []Service{p}, Log: slog.New(slog.DiscardHandler), Client: outbound.New(true)})
	if err != nil {
		t.Fatal(err)
	}
	m.idle = time.Hour
	return m
}

func (m *Manager) isOpen(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open[id] != nil
}

func made(t *testing.T, m *Manager, c Create) *Environment {
	t.Helper()
	c.RateLimits = 1
	env, err := m.Create(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func tidy(t *testing.T, m *Manager) {
	t.Helper()
	if err := m.Tidy(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestAClosedEnvironmentGoesOnWhereItStood(t *testing.T) {
	m := manager(t, t.TempDir(), &probe{})
	defer func() { _ = m.Close() }()
	seed, at := int64(7), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	env := made(t, m, Create{Seed: &seed, Clock: &at})
	policy := ratelimit.Policy{Name: "minute", Limit: 5, Window: time.Minute}
	env.Limiter.Take("k", policy, 3)
	tap := record.NewTap(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	env.Recorder.Add(tap, record.Request{ID: "first", Service: "probe"})
	env.IDs.Hex(8)
	next := ids.Seeded(seed, env.IDs.Position()).Hex(8)
	m.idle = 0
	tidy(t, m)
	if m.isOpen(env.ID) {
		t.Fatal("it is open still")
	}
	again, err := m.Open(context.Background(), env.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.IDs.Hex(8); got != next {
		t.Errorf("the next id is %s, want %s", got, next)
	}
	if d := again.Limiter.Take("k", policy, 3); d.OK {
		t.Error("what was spent of a limit is forgotten")
	}
	again.Recorder.Add(tap, record.Request{ID: "second", Service: "probe"})
	if list := again.Recorder.List(record.Filter{Limit: 5}); len(list) != 2 || list[1].ID != "first" {
		t.Errorf("%d requests are recorded, want 2", len(list))
	}
	if _, err := m.Reset(context.Background(), env.ID); err != nil {
		t.Fatal(err)
	}
	tidy(t, m)
	if again, err = m.Open(context.Background(), env.ID); err != nil || len(again.Recorder.List(record.Filter{Limit: 5})) != 0 {
		t.Errorf("requests are recorded after a reset: %v", err)
	}
}

func TestWhatIsInUseStaysOpen(t *testing.T) {
	p := &probe{}
	m := manager(t, t.TempDir(), p)
	defer func() { _ = m.Close() }()
	entered, left, ephemeral := made(t, m, Create{}), made(t, m, Create{}), made(t, m, Create{Ephemeral: true})
	_, leave, err := m.Enter(context.Background(), entered.ID)
	if err != nil {
		t.Fatal(err)
	}
	m.idle = 0
	p.streams.Store(1)
	if tidy(t, m); !m.isOpen(left.ID) {
		t.Error("one with clients connected was closed")
	}
	p.streams.Store(0)
	tidy(t, m)
	for id, want := range map[string]bool{entered.ID: true, left.ID: false, ephemeral.ID: true} {
		if m.isOpen(id) != want {
			t.Errorf("%s open: %v", id, !want)
		}
	}
	leave()
	if tidy(t, m); m.isOpen(entered.ID) {
		t.Error("it stays open when nobody uses it any more")
	}
}

func TestAboveTheLimitTheLeastUsedAreClosed(t *testing.T) {
	m := manager(t, t.TempDir(), &probe{})
	defer func() { _ = m.Close() }()
	var all []string
	for range 5 {
		all = append(all, made(t, m, Create{}).ID)
		time.Sleep(time.Millisecond)
	}
	if _, err := m.Open(context.Background(), all[0]); err != nil {
		t.Fatal(err)
	}
	m.limit = 2
	tidy(t, m)
	var open []bool
	for _, id := range all {
		open = append(open, m.isOpen(id))
	}
	if fmt.Sprint(open) != "[true false false false true]" {
		t.Errorf("open: %v", open)
	}
}

// The databases of those that were used last stay open for a while, those of
// others for a moment.
func TestTheDatabasesOfManyRestSooner(t *testing.T) {
	dir := t.TempDir()
	m := manager(t, dir, &probe{})
	defer func() { _ = m.Close() }()
	const more = 3
	var all []*Environment
	for range mostAwake + more {
		all = append(all, made(t, m, Create{}))
	}
	awake := func() (n int) {
		for _, env := range all {
			if files, _ := filepath.Glob(filepath.Join(dir, env.World.Name+".db-shm")); len(files) > 0 {
				n++
			}
		}
		return n
	}
	use := func(ago time.Duration) {
		t.Helper()
		for i, env := range all {
			if err := env.World.Read(t.Context(), func(tx *store.Tx) error {
				var n int64
				_, err := tx.Get("SELECT count(*) FROM probe", nil, &n)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			m.open[env.ID].used.Store(clock.Real().Add(-ago).UnixMicro() + int64(i))
		}
	}
	for _, c := range []struct {
		ago  time.Duration
		want int
	}{{0, mostAwake + more}, {crowdedTime, mostAwake}, {relaxTime, 0}} {
		use(c.ago + 100*time.Millisecond)
		if m.Relax(); awake() != c.want {
			t.Errorf("%s after their last request %d are awake, want %d", c.ago, awake(), c.want)
		}
	}
}

// What waits to be delivered keeps its environment open while that is soon, and
// opens it again when it is due later.
func TestDeliveriesWakeTheirEnvironment(t *testing.T) {
	hang := make(chan bool)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-hang
		w.WriteHeader(500)
	}))
	defer receiver.Close()
	dir := t.TempDir()
	m := manager(t, dir, &probe{receiver: receiver.URL})
	env := made(t, m, Create{})
	err := env.World.Write(context.Background(), func(tx *store.Tx) error {
		return env.Outbox.Append(context.Background(), tx, outbox.Event{Service: "probe", Tenant: "t", Type: "x", Key: "k", Payload: []byte("{}")})
	})
	if err != nil {
		t.Fatal(err)
	}
	m.idle = 0
	if tidy(t, m); !m.isOpen(env.ID) {
		t.Fatal("it was closed while a delivery is on its way")
	}
	close(hang)
	for range 300 {
		if tidy(t, m); !m.isOpen(env.ID) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if m.isOpen(env.ID) {
		t.Fatal("it stays open for a delivery that is due in two hours")
	}
	wakes := func(m *Manager, by time.Duration) (list []string) {
		err := m.catalogue.Read(context.Background(), func(tx *store.Tx) (err error) {
			list, err = listWaking(tx, wakeAtStart+1, clock.Real().Add(by).UnixMicro())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if early, late := wakes(m, time.Hour), wakes(m, 3*time.Hour); len(early) != 0 || len(late) != 1 {
		t.Errorf("%d are to be opened within an hour, %d within three; want 0 and 1", len(early), len(late))
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = manager(t, dir, &probe{receiver: receiver.URL})
	defer func() { _ = m.Close() }()
	if err := m.catalogue.Write(context.Background(), func(tx *store.Tx) error { return setWake(tx, env.ID, clock.Real().UnixMicro()) }); err != nil {
		t.Fatal(err)
	}
	if err := m.Wake(context.Background()); err != nil || !m.isOpen(env.ID) {
		t.Errorf("it was not opened when it was due: %v", err)
	}
}
