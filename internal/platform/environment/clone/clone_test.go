package clone_test

import (
	"context"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is the environments of a store that serve the probe.
type world struct {
	*clone.Cloner
	probe *envtest.Probe
	store store.Store
	envs  *lifecycle.Environments
}

func open(t *testing.T, s store.Store) *world {
	t.Helper()
	p := &envtest.Probe{}
	e, err := lifecycle.New(context.Background(), s, p.Platform())
	if err != nil {
		t.Fatal(err)
	}
	e.DrainTimeout = 20 * time.Millisecond
	return &world{clone.New(e), p, s, e}
}

func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		w := open(t, s)
		defer func() { _ = w.envs.Close() }()
		test(t, w)
	})
}

func (w *world) create(t *testing.T, c lifecycle.Create) *environment.Environment {
	t.Helper()
	c.Info.RateLimits = 1
	env, err := w.envs.Create(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

var ephemeral = lifecycle.Create{Info: environment.Info{Ephemeral: true}}
