package lifecycle

import (
	"context"
	"errors"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
)

// Between being listed as due and being deleted an environment can get more time.
func TestWhatHasTimeToLiveIsNotExpired(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	ctx, sweeper := context.Background(), Sweeper{e}
	expiring := Create{}
	expiring.Info.SetTTL(time.Microsecond)
	env, lasting := create(t, e, expiring), create(t, e, Create{})
	forever := time.Duration(0)
	if err := e.Update(ctx, env.ID, Change{TTL: &forever}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{env.ID, lasting.ID} {
		if err := sweeper.expire(ctx, id); !errors.Is(err, catalogue.NotExpired) {
			t.Errorf("expiring what lasts returns %v", err)
		}
		if _, err := e.Open(ctx, id); err != nil {
			t.Error(err)
		}
	}
	moment := time.Microsecond
	if err := e.Update(ctx, env.ID, Change{TTL: &moment}); err != nil {
		t.Fatal(err)
	}
	if err := sweeper.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(ctx, env.ID); !errors.Is(err, environment.NotFound) {
		t.Errorf("what is due is there: %v", err)
	}
}
