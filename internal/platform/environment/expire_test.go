package environment

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Between being listed as due and being deleted an environment can get more time.
func TestWhatHasTimeToLiveIsNotExpired(t *testing.T) {
	m := manager(t, t.TempDir(), &probe{})
	defer func() { _ = m.Close() }()
	ctx := context.Background()
	env, lasting := made(t, m, Create{TTL: time.Microsecond}), made(t, m, Create{})
	forever := time.Duration(0)
	if err := m.Update(ctx, env.ID, Change{TTL: &forever}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{env.ID, lasting.ID} {
		if err := m.expire(ctx, id); !errors.Is(err, errNotDue) {
			t.Errorf("expiring what lasts gives %v", err)
		}
		if _, err := m.Open(ctx, id); err != nil {
			t.Error(err)
		}
	}
	moment := time.Microsecond
	if err := m.Update(ctx, env.ID, Change{TTL: &moment}); err != nil {
		t.Fatal(err)
	}
	if err := m.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Open(ctx, env.ID); !errors.Is(err, NotFound) {
		t.Errorf("what is due is there: %v", err)
	}
}
