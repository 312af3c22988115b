package lifecycle

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

func TestAClosedEnvironmentGoesOnWhereItStood(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	seed, at := int64(7), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	env := create(t, e, Create{Start: environment.Start{Seed: &seed, Clock: &at}})
	policy := ratelimit.Policy{Name: "minute", Limit: 5, Window: time.Minute}
	env.Limiter.Take("k", policy, 3)
	tap := record.NewTap(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	env.Recorder.Add(tap, record.Request{ID: "first", Service: "probe"})
	env.IDs.Hex(8)
	next := ids.Seeded(seed, env.IDs.Position()).Hex(8)
	e.idle = 0
	closeIdle(e)
	if e.isOpen(env.ID) {
		t.Fatal("it is open still")
	}
	again, err := e.Open(context.Background(), env.ID)
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
	if _, err := e.Reopen(context.Background(), env.ID, func(ctx context.Context) error {
		return e.Catalogue.BeginRestore(ctx, env.ID, "") // a reset
	}); err != nil {
		t.Fatal(err)
	}
	closeIdle(e)
	if again, err = e.Open(context.Background(), env.ID); err != nil || len(again.Recorder.List(record.Filter{Limit: 5})) != 0 {
		t.Errorf("requests are recorded after a reset: %v", err)
	}
}

func TestWhatIsInUseStaysOpen(t *testing.T) {
	p := &envtest.Probe{}
	e := onSQLite(t, p)
	entered, left, ephemeral := create(t, e, Create{}), create(t, e, Create{}), create(t, e, Create{Info: environment.Info{Ephemeral: true}})
	_, leave, err := e.Enter(context.Background(), entered.ID)
	if err != nil {
		t.Fatal(err)
	}
	e.idle = 0
	p.Open.Store(1)
	if closeIdle(e); !e.isOpen(left.ID) {
		t.Error("one with clients connected was closed")
	}
	p.Open.Store(0)
	closeIdle(e)
	for id, want := range map[string]bool{entered.ID: true, left.ID: false, ephemeral.ID: true} {
		if e.isOpen(id) != want {
			t.Errorf("%s open: %v", id, !want)
		}
	}
	leave()
	if closeIdle(e); e.isOpen(entered.ID) {
		t.Error("it stays open when nobody uses it any more")
	}
}

func TestAboveTheLimitTheLeastUsedAreClosed(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	var all []string
	for range 5 {
		all = append(all, create(t, e, Create{}).ID)
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Open(context.Background(), all[0]); err != nil {
		t.Fatal(err)
	}
	e.bounds.open = 2
	closeIdle(e)
	var open []bool
	for _, id := range all {
		open = append(open, e.isOpen(id))
	}
	if fmt.Sprint(open) != "[true false false false true]" {
		t.Errorf("open: %v", open)
	}
}

// An environment that was made stays ready for its first request, unless memory
// is short.
func TestTheFirstRequestFindsTheDatabaseOpen(t *testing.T) {
	dir := t.TempDir()
	e := open(t, envtest.Store(t, "", dir), &envtest.Probe{})
	defer func() { _ = e.Close() }()
	sweeper := Sweeper{e}
	awake := func(env *environment.Environment) bool {
		files, _ := filepath.Glob(filepath.Join(dir, env.World.Name+".db-shm"))
		return len(files) > 0
	}
	made, asked := create(t, e, Create{}), create(t, e, Create{})
	asked.Asked.Store(true)
	for _, c := range []struct {
		after             time.Duration
		most              int
		wantMade, wantOld bool
	}{
		{suspendTime - time.Second, 10, true, true},
		{suspendTime + time.Second, 10, true, false},
		{firstTime - time.Second, 10, true, false},
		{firstTime + time.Second, 10, false, false},
		{crowdedTime + time.Second, 0, false, false},
	} {
		for _, env := range []*environment.Environment{made, asked} {
			envtest.Insert(t, env, fmt.Sprint(c.after, c.most))
			e.table.find(env.ID).requests.Touch()
		}
		e.bounds.awake = c.most
		sweeper.suspend(clock.Real().Add(c.after))
		if awake(made) != c.wantMade || awake(asked) != c.wantOld {
			t.Errorf("%s after, with memory for %d: the database of one that was made is open: %t, of one that was asked: %t", c.after, c.most, awake(made), awake(asked))
		}
	}
}

// The databases of those that were used last stay open for a while, those of
// others for a moment.
func TestTheDatabasesOfManyRestSooner(t *testing.T) {
	dir := t.TempDir()
	e := open(t, envtest.Store(t, "", dir), &envtest.Probe{})
	sweeper := Sweeper{e}
	defer func() { _ = e.Close() }()
	const mostAwake, more = 20, 3
	e.bounds.awake = mostAwake
	var all []*environment.Environment
	for range mostAwake + more {
		all = append(all, create(t, e, Create{}))
	}
	awake := func() (n int) {
		for _, env := range all {
			if files, _ := filepath.Glob(filepath.Join(dir, env.World.Name+".db-shm")); len(files) > 0 {
				n++
			}
		}
		return n
	}
	use := func() (began, ended time.Time) { // the last requests
		t.Helper()
		for _, env := range all {
			if err := env.World.Read(t.Context(), func(tx *store.Tx) error {
				var n int64
				_, err := tx.Get("SELECT count(*) FROM probe", nil, &n)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		began = clock.Real()
		for _, env := range all {
			env.Asked.Store(true)
			e.table.find(env.ID).requests.Touch()
			time.Sleep(10 * time.Microsecond) // the order of their last uses is the order of creation
		}
		return began, clock.Real()
	}
	for _, c := range []struct {
		ago  time.Duration
		want int
	}{{0, mostAwake + more}, {crowdedTime, mostAwake}, {suspendTime, 0}} {
		from, ended := use()
		if c.ago > 0 {
			from = ended
		}
		if sweeper.suspend(from.Add(c.ago + 100*time.Millisecond)); awake() != c.want {
			t.Errorf("%s after their last request %d are awake, want %d", c.ago, awake(), c.want)
		}
	}
}

// A delivery that is due soon keeps its environment open; one that is due later
// opens it again.
func TestDeliveriesWakeTheirEnvironment(t *testing.T) {
	hang := make(chan bool)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-hang
		w.WriteHeader(500)
	}))
	defer receiver.Close()
	dir := t.TempDir()
	e := open(t, envtest.Store(t, "", dir), &envtest.Probe{Receiver: receiver.URL})
	env := create(t, e, Create{})
	err := env.World.Write(context.Background(), func(tx *store.Tx) error {
		return env.Outbox.Append(context.Background(), tx, outbox.Event{Service: "probe", Tenant: "t", Type: "x", Key: "k", Payload: []byte("{}")},
			outbox.Target{Destination: "receiver"})
	})
	if err != nil {
		t.Fatal(err)
	}
	e.idle = 0
	if closeIdle(e); !e.isOpen(env.ID) {
		t.Fatal("it was closed while a delivery is on its way")
	}
	close(hang)
	for range 300 {
		if closeIdle(e); !e.isOpen(env.ID) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if e.isOpen(env.ID) {
		t.Fatal("it stays open for a delivery that is due in two hours")
	}
	wakes := func(e *Environments, by time.Duration) []string {
		list, err := e.Catalogue.Due(context.Background(), catalogue.WakeAtStart+1, clock.Real().Add(by))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if early, late := wakes(e, time.Hour), wakes(e, 3*time.Hour); len(early) != 0 || len(late) != 1 {
		t.Errorf("%d are to be opened within an hour, %d within three; want 0 and 1", len(early), len(late))
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, envtest.Store(t, "", dir), &envtest.Probe{Receiver: receiver.URL})
	defer func() { _ = e.Close() }()
	if err := e.Catalogue.MarkClosed(context.Background(), catalogue.Closing{ID: env.ID, Wake: clock.Real().UnixMicro()}); err != nil {
		t.Fatal(err)
	}
	if err := (Sweeper{e}).OpenDue(context.Background()); err != nil || !e.isOpen(env.ID) {
		t.Errorf("it was not opened when it was due: %v", err)
	}
}
