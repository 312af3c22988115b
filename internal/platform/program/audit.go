package program

import (
	"context"
	"encoding/json"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// maxAudit is the most entries of the audit log in the database; the log of the
// program has all.
const maxAudit = 10_000

// Entry is an entry of the audit log: a change of a credential or an environment,
// and who made it. It contains no secrets.
type Entry struct {
	ID          int64     `json:"id"`
	At          time.Time `json:"at"` // real time
	Action      string    `json:"action"`
	Environment string    `json:"environment"`
	Service     string    `json:"service"` // "" for the admin plane
	Actor       string    `json:"actor"`
	Address     string    `json:"address"` // of the client
	Target      string    `json:"target"`
	RequestID   string    `json:"request_id"`
	// InMemory marks an entry about an ephemeral environment. Storing it does not
	// wait for the disk: a power failure ends the environment too.
	InMemory bool `json:"-"`
}

// Audit stores an entry, even if its client has disconnected, and logs it. An
// entry that cannot be stored is logged all the same.
func (p *Program) Audit(ctx context.Context, e Entry) {
	e.At = clock.Real().UTC().Truncate(time.Microsecond)
	write := p.world.Write
	if e.InMemory {
		write = p.world.WriteDerived
	}
	err := write(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		if e.ID, err = insertEntry(tx, e); err != nil || e.ID%100 != 0 {
			return err
		}
		return trimEntries(tx, e.ID-maxAudit)
	})
	line, _ := json.Marshal(e) // this type always encodes
	p.log.Info("audit", "entry", json.RawMessage(line))
	if err != nil {
		p.log.Error("an audit entry could not be stored", "action", e.Action, "error", err)
	}
}

// AuditFilter selects entries of the audit log; zero fields select all.
type AuditFilter struct {
	Environment string
	Action      string
	Before      int64 // only entries with a smaller ID
	Limit       int
}

// Entries lists the audit log, newest first.
func (p *Program) Entries(ctx context.Context, f AuditFilter) (out []Entry, err error) {
	err = p.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listEntries(tx, f)
		return err
	})
	return out, err
}
