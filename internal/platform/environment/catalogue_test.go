package environment

import (
	"context"
	"testing"
	"time"
)

// What is told of an environment while it is open, and of a snapshot when it
// is made, is what the catalogue tells later, to the last digit.
func TestTimesAreKeptAsTheyWereTold(t *testing.T) {
	m := manager(t, t.TempDir(), &probe{})
	defer func() { _ = m.Close() }()
	ctx := context.Background()
	at := time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC)
	for _, c := range []Create{{TTL: time.Hour}, {Clock: &at}} {
		env := made(t, m, c)
		fork, err := m.Fork(ctx, env.ID, Fork{})
		if err != nil {
			t.Fatal(err)
		}
		for _, told := range []Info{env.Info, fork.Info} {
			kept, _, err := m.look(ctx, told.ID)
			if err != nil || !kept.Created.Equal(told.Created) || !kept.Expires.Equal(told.Expires) {
				t.Errorf("told %v and %v, kept %v and %v: %v", told.Created, told.Expires, kept.Created, kept.Expires, err)
			}
		}
		told, err := m.Snapshot(ctx, env.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := m.Snapshots(ctx, env.ID, "", 1)
		if err != nil || len(kept) != 1 || !kept[0].Created.Equal(told.Created) {
			t.Errorf("told %v, kept %v: %v", told.Created, kept, err)
		}
		if now, again := env.Clock.Now(), clockMeta(metaOf(env)); c.Clock != nil && now.UnixNano() != again.At*1000 {
			t.Errorf("the clock shows %v and is kept as %d", now, again.At)
		}
	}
}

func metaOf(env *Environment) map[string]string {
	meta := map[string]string{}
	setClockMeta(meta, env.Clock.State())
	return meta
}
