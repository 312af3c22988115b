package lifecycle

import (
	"context"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// open returns the environments of a store, none of which is closed because it is idle.
func open(t testing.TB, s store.Store, p *envtest.Probe) *Environments {
	t.Helper()
	e, err := New(context.Background(), s, p.Platform())
	if err != nil {
		t.Fatal(err)
	}
	e.idle = time.Hour
	return e
}

// onSQLite returns the environments of an empty store, which are closed when the test ends.
func onSQLite(t *testing.T, p *envtest.Probe) *Environments {
	t.Helper()
	e := open(t, envtest.Store(t, "", t.TempDir()), p)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func (e *Environments) isOpen(id string) bool { return e.table.find(id) != nil }

func create(t *testing.T, e *Environments, c Create) *environment.Environment {
	t.Helper()
	c.Info.RateLimits = 1
	env, err := e.Create(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func closeIdle(e *Environments) { Sweeper{e}.CloseIdle(context.Background()) }
