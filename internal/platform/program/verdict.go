package program

import (
	"context"
	"encoding/json"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// The bounds of stored verdicts; the oldest are deleted first.
const (
	maxVerdicts     = 2_000
	maxVerdictBytes = 64 << 20
	trimEvery       = 16 // verdicts; the bounds may be exceeded by this many
)

// VerdictNotFound means that a verdict does not exist, or was deleted.
var VerdictNotFound = fault.New(fault.NotFound, "verdict_not_found", "There is no verdict with this id; the oldest are dropped.")

// Verdict is the result of a run, as its runner reported it. It outlives the
// environments of the run.
type Verdict struct {
	ID          int64
	At          time.Time // real time
	Environment string    // id of the environment that it was forked from; "" for none
	World       string    // id of what it was forked from; "" for none
	Series      string    // the same for all runs of one command
	Task        string
	State       string
	Summary     json.RawMessage // additional data in lists
	Detail      json.RawMessage // additional data of a single verdict; nil in lists
}

// AddVerdict stores a verdict and sets its ID and At.
func (p *Program) AddVerdict(ctx context.Context, v *Verdict) error {
	v.At = clock.Real().UTC().Truncate(time.Microsecond)
	return p.world.Write(ctx, func(tx *store.Tx) (err error) {
		if v.ID, err = insertVerdict(tx, v); err != nil || v.ID%trimEvery != 0 {
			return err
		}
		return trimVerdicts(tx)
	})
}

// VerdictFilter selects verdicts in a list; zero fields select all.
type VerdictFilter struct {
	Environment string // of the run, or the one that it was forked from
	Series      string
	Task        string
	State       string
	Before      int64 // only verdicts with a smaller ID
	Limit       int
}

// Verdicts lists verdicts without their details, newest first.
func (p *Program) Verdicts(ctx context.Context, f VerdictFilter) (out []Verdict, err error) {
	err = p.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listVerdicts(tx, f)
		return err
	})
	return out, err
}

// Verdict returns a verdict with its detail. It returns VerdictNotFound.
func (p *Program) Verdict(ctx context.Context, id int64) (v Verdict, err error) {
	err = p.world.Read(ctx, func(tx *store.Tx) error {
		found, err := listVerdicts(tx, VerdictFilter{Before: id + 1, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 || found[0].ID != id {
			return VerdictNotFound
		}
		v = found[0]
		v.Detail, err = getVerdictDetail(tx, id)
		return err
	})
	return v, err
}

// DeleteVerdict deletes a verdict. It returns VerdictNotFound.
func (p *Program) DeleteVerdict(ctx context.Context, id int64) error {
	return p.world.Write(ctx, func(tx *store.Tx) error {
		n, err := deleteVerdict(tx, id)
		if err == nil && n == 0 {
			err = VerdictNotFound
		}
		return err
	})
}
