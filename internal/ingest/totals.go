package ingest

import (
	"cmp"
	"context"
	"errors"
	"slices"

	db "understudy/internal/platform/store"
)

// Total is the sums of the events with one key: the calls of a tool, the turns of
// an agent, the events of a model or a customer.
type Total struct {
	Key string
	Sums
}

// Totals returns the sums of the events in the period by tool, agent, model or
// customer, the most frequent first. Events without a model or customer are left
// out of those. Percentiles are within 1 % of the exact ones.
func (in *Ingest) Totals(ctx context.Context, project string, f Filter, by Dimension, kind Kind) (out []Total, err error) {
	groups, err := in.sum(ctx, project, f, Sum{By: by, Kind: kind, Latency: true})
	if err != nil {
		return nil, err
	}
	for i := range groups {
		if g := &groups[i]; g.Key != "" || by == ByName {
			out = append(out, Total{g.Key, g.Sums})
		}
	}
	slices.SortFunc(out, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Key, b.Key))
	})
	return out, nil
}

// sum sums a project's events. If the roll-ups suffice, it reads them for the
// whole hours of a period, and the events for the parts of an hour at both ends;
// otherwise it reads the events. Groups come in no order.
func (in *Ingest) sum(ctx context.Context, project string, f Filter, q Sum) (groups []Group, err error) {
	if q.Match, err = in.match(ctx, project, f); err != nil {
		return nil, err
	}
	if q.Prices, err = in.Prices(ctx, project); err != nil {
		return nil, err
	}
	if q.By == ByUser || q.By == ByLabel || slices.Contains(q.Distinct, ByUser) {
		if q.Owner, err = in.owner(ctx, project); err != nil {
			return nil, err
		}
	}
	first, last := (f.From+hour-1)/hour*hour, cmp.Or(f.To, 1<<52)/hour*hour
	if !f.rolled() || q.None || first >= last || !in.rolls(ctx, &q) {
		return in.d.Store.Sum(ctx, q)
	}
	if current, err := refresh(ctx, in); err != nil {
		return nil, err
	} else if !current {
		return in.d.Store.Sum(ctx, q)
	}
	t := newTally(&q)
	for _, part := range [][2]int64{{f.From, first}, {last, cmp.Or(f.To, 1<<52)}} {
		if part[0] >= part[1] || part[0] >= 1<<51 {
			continue
		}
		edge := q
		edge.From, edge.To = part[0], part[1]
		groups, err := in.d.Store.Sum(ctx, edge)
		if err != nil {
			return nil, err
		}
		for i := range groups {
			g := &groups[i]
			t.sums(g.Key, g.Rest, g.Period).Merge(&g.Sums)
		}
	}
	err = t.gather(func(row func(storedRow)) error {
		return in.d.Events.Read(ctx, func(tx *db.Tx) error { return t.roll(tx, first, last, row) })
	})
	if errors.Is(err, errDamagedSums) {
		return sumDamaged(ctx, in, q, err)
	}
	return t.groups(), err
}

// sumDamaged sums the events, and starts rebuilding the sums by hour and day.
func sumDamaged(ctx context.Context, in *Ingest, q Sum, reason error) ([]Group, error) {
	in.rollMu.Lock()
	err := rebuildSums(ctx, in, reason)
	in.rollMu.Unlock()
	if err != nil && !errors.Is(err, db.Unavailable) {
		return nil, err
	}
	in.follow()
	return in.d.Store.Sum(ctx, q)
}

// denseRow is the number of events of a roll-up's row from which reading the row
// is faster than reading the events.
const denseRow = 32

// rolls reports whether the roll-ups suffice for a sum, and are faster.
func (in *Ingest) rolls(ctx context.Context, q *Sum) bool {
	switch q.By {
	case ByNothing, ByName, ByModel, BySuccess:
	default:
		return false
	}
	width := int64(1 << 62)
	for i, at := range q.Bounds {
		if at%hour != 0 && i > 0 {
			return false
		}
		if i > 1 {
			width = min(width, at-q.Bounds[i-1])
		}
	}
	if len(q.Distinct) > 0 {
		return false
	}
	if width >= day {
		return true
	}
	days, events := int64(0), int64(0)
	err := in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		days, events, err = countRollups(tx, q.Project, 24, q.From-q.From%day, endOf(q.To))
		return err
	})
	return err == nil && events > 24*days*denseRow // a row of a day has at most one in each hour
}
