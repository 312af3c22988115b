package lifecycle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// An environment whose database was removed from outside is not opened as an empty one.
// It is listed, its database can come back, and it can be deleted.
func TestALostDatabaseIsNoEmptyWorld(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		ctx := context.Background()
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		env := create(t, e, Create{})
		main := worlds.Of(env.Storage)
		e.idle = 0
		closeIdle(e)
		if err := errors.Join(s.Copy(ctx, main, "backup"), s.Drop(ctx, main)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := e.Open(ctx, env.ID); !errors.Is(err, environment.Lost) || !strings.Contains(err.Error(), main) {
				t.Fatalf("an environment without its database is opened: %v", err)
			}
		}
		if exists, err := s.Exists(ctx, main); exists || err != nil {
			t.Errorf("a database was made: %v", err)
		}
		if page, err := (Overviews{e}).List(ctx, Selection{}, catalogue.Place{}, 3); err != nil || len(page) != 1 {
			t.Errorf("%d environments are listed: %v", len(page), err)
		}
		if err := s.Copy(ctx, "backup", main); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Open(ctx, env.ID); err != nil {
			t.Fatal(err)
		}
		closeIdle(e)
		if err := s.Drop(ctx, main); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Delete(ctx, env.ID); err != nil {
			t.Errorf("it cannot be deleted: %v", err)
		}
	})
}
