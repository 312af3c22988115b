package ingest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// lateMaintainer calls between once, after retention was read and before events
// are removed by it.
type lateMaintainer struct {
	ingest.Maintainer
	between func()
}

func (m *lateMaintainer) Expire(ctx context.Context, project string, before, upTo int64, still func(tx *store.Tx) error, removed func(tx *store.Tx, gone *ingest.Columns) error) (bool, error) {
	if between := m.between; between != nil {
		m.between = nil
		between()
	}
	return m.Maintainer.Expire(ctx, project, before, upTo, still, removed)
}

// Once a change of the retention, or of the clock, has taken place, no event is
// removed by what was before, although a step of maintenance has begun.
func TestWhatIsRemovedFollowsTheLatestRetention(t *testing.T) {
	const day = 24 * time.Hour
	now := time.UnixMilli(start)
	for name, row := range map[string]struct {
		change func(t *testing.T, in *ingest.Ingest, c *clock.Clock)
		left   int // of events of 5, 25, 45 and so on days
	}{
		"lifted":         {func(t *testing.T, in *ingest.Ingest, _ *clock.Clock) { must(t, in.SetRetention(ctx, project, 0)) }, 5},
		"longer":         {func(t *testing.T, in *ingest.Ingest, _ *clock.Clock) { must(t, in.SetRetention(ctx, project, 60)) }, 3},
		"shorter":        {func(t *testing.T, in *ingest.Ingest, _ *clock.Clock) { must(t, in.SetRetention(ctx, project, 10)) }, 1},
		"clock set back": {func(_ *testing.T, _ *ingest.Ingest, c *clock.Clock) { c.Freeze(now.Add(-50 * day)) }, 4},
		"clock ahead":    {func(_ *testing.T, _ *ingest.Ingest, c *clock.Clock) { c.Freeze(now.Add(20 * day)) }, 1},
		"as it was":      {func(*testing.T, *ingest.Ingest, *clock.Clock) {}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
				c, late := clock.At(now), &lateMaintainer{}
				in := over(t, w, func(d *ingest.Deps) { late.Maintainer, d.Upkeep, d.Clock = d.Upkeep, late, c })
				for i := range 5 {
					at := now.Add(-time.Duration(5+20*i) * day).UnixMilli()
					capture(t, in, []ingest.Event{{ID: fmt.Sprint("e", i), Session: fmt.Sprint("s", i), Name: "tool", Type: "tool", Time: at, Success: true,
						Latency: 1, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}})
				}
				late.between = func() { row.change(t, in, c) }
				must(t, in.SetRetention(ctx, project, 30))
				must(t, in.Maintain(ctx))
				must(t, in.Maintain(ctx))
				left, _, err := in.Events(ctx, project, ingest.Filter{}, ingest.Position{}, 100, false)
				must(t, err)
				sessions, _, err := in.Sessions(ctx, project, ingest.Filter{}, ingest.SessionPosition{}, 100)
				must(t, err)
				if len(left) != row.left || len(sessions) != row.left {
					t.Errorf("%d events and %d sessions are left, want %d", len(left), len(sessions), row.left)
				}
			})
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
