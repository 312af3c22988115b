package program

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// waits counts the writes of a world, by whether they wait for the disk.
type waits struct {
	store.Backend
	durable, derived int
}

func (w *waits) Write(ctx context.Context, fn func(*store.Tx) error) error {
	w.durable++
	return w.Backend.Write(ctx, fn)
}

func (w *waits) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	w.derived++
	return w.Backend.WriteDerived(ctx, fn)
}

// A line about what outlives the machine is durable when it is written. A line
// about an environment in memory does not wait, and is there like any other.
func TestLinesAboutWhatIsDurableAreDurable(t *testing.T) {
	storetest.Run(t, []store.Schema{schema()}, func(t *testing.T, w *store.World) {
		ctx, count := context.Background(), &waits{Backend: w.Backend()}
		p := &Program{world: store.NewWorld(w.Name, count), log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		for _, e := range []Entry{{Action: "environment.create", Environment: "disk"}, {Action: "api_key.create", Environment: "memory", Service: "crm"},
			{Action: "credentials.rotate", Environment: "memory"}, {Action: "snapshot.create", Environment: "disk"}} {
			p.Audit(ctx, e)
		}
		if count.durable != 4 || count.derived != 0 {
			t.Errorf("%d lines waited, %d did not", count.durable, count.derived)
		}
		p.Audit(ctx, Entry{Action: "environment.fork", Environment: "memory", InMemory: true})
		if count.durable != 4 || count.derived != 1 {
			t.Errorf("with one about memory %d lines waited, %d did not", count.durable, count.derived)
		}
		all, err := p.Entries(ctx, AuditFilter{Limit: 10})
		if err != nil || len(all) != 5 || all[0].Action != "environment.fork" || all[0].ID != 5 {
			t.Errorf("the log has %v: %v", all, err)
		}
	})
}
