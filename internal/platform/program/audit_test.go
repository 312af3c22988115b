package program

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// An entry of the audit log waits for the disk, unless it is about an environment
// in memory. All entries are listed.
func TestLinesAboutWhatIsDurableAreDurable(t *testing.T) {
	storetest.Run(t, []store.Schema{schema()}, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		counted, waits := storetest.CountWaits(w)
		p := &Program{world: counted, log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		for _, e := range []Entry{{Action: "environment.create", Environment: "disk"}, {Action: "api_key.create", Environment: "memory", Service: "crm"},
			{Action: "credentials.rotate", Environment: "memory"}, {Action: "snapshot.create", Environment: "disk"}} {
			p.Audit(ctx, e)
		}
		if waits.Durable != 4 || waits.Derived != 0 {
			t.Errorf("%d lines waited, %d did not", waits.Durable, waits.Derived)
		}
		p.Audit(ctx, Entry{Action: "environment.fork", Environment: "memory", InMemory: true})
		if waits.Durable != 4 || waits.Derived != 1 {
			t.Errorf("with one about memory %d lines waited, %d did not", waits.Durable, waits.Derived)
		}
		all, err := p.Entries(ctx, AuditFilter{Limit: 10})
		if err != nil || len(all) != 5 || all[0].Action != "environment.fork" || all[0].ID != 5 {
			t.Errorf("the log has %v: %v", all, err)
		}
	})
}
