package ingest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/clock"
	db "understudy/internal/platform/store"
)

const (
	hour = int64(3600 * 1000)
	day  = 24 * hour

	// passEvents is about how many events one pass of the roll-ups adds at most, and
	// passRows about how many rows of sessions and users it writes: others who write
	// wait for a pass. A row is written once a pass, so that few passes cost less than many.
	passEvents = 60_000
	passRows   = 12_000
	// The wait before a pass, which gathers appends, is restFactor times as long as
	// the passes before took, and from rollDelay to longestDelay: a query waits for
	// the events since the last pass.
	rollDelay    = 100 * time.Millisecond
	longestDelay = 600 * time.Millisecond
	restFactor   = 4
	// rollRetry is the wait after a pass that failed.
	rollRetry = time.Second
)

// sums is the sums of a set of events.
type sums struct {
	events, errors, input, output int64
	latencies                     Latencies
}

// rollupKey is the key of sums: the row that they are stored in, and their part of it.
type rollupKey struct {
	rollupRow
	partKey
}

type sessionDelta struct{ first, last, events, errors, input, output int64 }

type projectID struct{ project, id string }

// pass is the additions of one run of the roll-ups.
type pass struct {
	next     int64 // the number of the last event that it adds
	events   int
	hours    map[rollupKey]*sums
	sessions map[projectID]*sessionDelta
	users    map[projectID]*[2]int64 // first and last seen
}

// rollUp adds new events to the roll-ups, in the background.
func (in *Ingest) rollUp(w *background.Worker) {
	begun := clock.Real()
	err := in.CatchUp(in.ctx)
	wait := min(max(rollDelay, restFactor*clock.Real().Sub(begun)), longestDelay)
	if err != nil && !errors.Is(err, context.Canceled) {
		in.d.Log.Error("events could not be added to the roll-ups; it is tried again", "error", err)
		w.Wake()
		wait = rollRetry
	}
	select {
	case <-w.Stopped():
	case <-time.After(wait):
	}
}

// CatchUp adds all events up to the last one to the roll-ups. Between two passes
// others may change stored data.
func (in *Ingest) CatchUp(ctx context.Context) error {
	return in.passes(ctx, func() (bool, error) {
		in.rollMu.Lock()
		defer in.rollMu.Unlock()
		return in.rollOnce(ctx)
	})
}

// refresh is CatchUp before a query. While the roll-ups cannot be stored, as on a
// full disk, they lack the latest events, and current is false: the query is
// answered nevertheless.
func refresh(ctx context.Context, in *Ingest) (current bool, err error) {
	if err = in.CatchUp(ctx); errors.Is(err, db.Unavailable) {
		return false, nil
	}
	return err == nil, err
}

// catchUp is CatchUp for a caller that holds rollMu.
func (in *Ingest) catchUp(ctx context.Context) error {
	return in.passes(ctx, func() (bool, error) { return in.rollOnce(ctx) })
}

func (in *Ingest) passes(ctx context.Context, once func() (more bool, err error)) error {
	if in.d.Events.Absent(ctx) {
		return nil
	}
	for {
		more, err := once()
		if err != nil || !more {
			return err
		}
	}
}

// rollOnce runs one pass. Damaged sums are rebuilt by the following passes. Its
// caller holds rollMu.
func (in *Ingest) rollOnce(ctx context.Context) (more bool, err error) {
	more, err = in.rollNext(ctx)
	if errors.Is(err, errDamagedSums) {
		return true, rebuildSums(ctx, in, err)
	}
	return more, err
}

// rollNext is rollOnce on sums without damage.
func (in *Ingest) rollNext(ctx context.Context) (more bool, err error) {
	var at rollupState
	var last int64
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		if at, err = readState(tx); err == nil {
			last, err = in.d.Store.LastIn(tx)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	if at.rebuilding.pending {
		return in.rebuildOnce(ctx, at.rebuilding.done, at.done, at.changes)
	}
	if at.done == last { // as for most queries
		return false, nil
	}
	done, began := at.done, at.changes
	p := newPass()
	err = in.d.Store.Query(ctx, Query{After: done}, func(c *Columns) (bool, error) {
		p.add(c, nil)
		return !p.full(), nil
	})
	if err != nil || p.events == 0 {
		return false, err
	}
	again := false
	err = in.d.Events.WriteDerived(ctx, func(tx *db.Tx) error {
		now, err := lockProgress(tx)
		if err != nil || now != done { // another node was faster
			return err
		}
		times, err := changes(tx)
		if again = times != began; err != nil || again { // another node has changed events that this pass read
			return err
		}
		return p.save(tx)
	})
	return again || p.full(), err
}

func newPass() *pass {
	return &pass{hours: map[rollupKey]*sums{}, sessions: map[projectID]*sessionDelta{}, users: map[projectID]*[2]int64{}}
}

// full reports whether the pass accepts no further group.
func (p *pass) full() bool { return p.events >= passEvents || len(p.sessions)+len(p.users) >= passRows }

// add adds the events of a group for which ok returns true; all if it is nil.
func (p *pass) add(c *Columns, ok func(i int) bool) {
	p.next = max(p.next, c.Last())
	project := strings.Clone(c.Project)
	sessions := make([]*sessionDelta, len(c.Session.Values))
	users := make([]*[2]int64, len(c.User.Values))
	var lastKey rollupKey
	var last *sums
	for i := range c.N {
		if ok != nil && !ok(i) {
			continue
		}
		p.events++
		at, flags := c.Time[i], c.Flags[i]
		success := flags&FlagSuccess != 0
		k := rollupKey{rollupRow{project, c.Name.At(i), 1, at - at%hour}, partKey{c.Model.At(i), KindOf(flags, c.Type.At(i)), success}}
		if last == nil || k != lastKey {
			if last = p.hours[k]; last == nil {
				k.tool, k.model = strings.Clone(k.tool), strings.Clone(k.model)
				last = &sums{}
				p.hours[k] = last
			}
			lastKey = k
		}
		s := sessions[c.Session.Of(i)]
		if s == nil {
			s = p.session(project, c.Session.At(i), at)
			sessions[c.Session.Of(i)] = s
		}
		s.first, s.last = min(s.first, at), max(s.last, at)
		last.events++
		s.events++
		if !success {
			s.errors++
		}
		if n := c.InputTokens[i]; n > 0 {
			last.input += n
			s.input += n
		}
		if n := c.OutputTokens[i]; n > 0 {
			last.output += n
			s.output += n
		}
		if c.Latency[i] >= 0 {
			last.latencies.Add(c.Latency[i])
		}
		if c.User.At(i) == "" {
			continue
		}
		u := users[c.User.Of(i)]
		if u == nil {
			u = p.user(project, c.User.At(i), at)
			users[c.User.Of(i)] = u
		}
		u[0], u[1] = min(u[0], at), max(u[1], at)
	}
}

func (p *pass) session(project, id string, at int64) *sessionDelta {
	k := projectID{project, id}
	s := p.sessions[k]
	if s == nil {
		s = &sessionDelta{first: at, last: at}
		k.id = strings.Clone(id)
		p.sessions[k] = s
	}
	return s
}

// sessionIDs returns the sessions that the pass has events of, in no order.
func (p *pass) sessionIDs() (ids []string) {
	for k := range p.sessions {
		ids = append(ids, k.id)
	}
	return ids
}

func (p *pass) user(project, id string, at int64) *[2]int64 {
	k := projectID{project, id}
	u := p.users[k]
	if u == nil {
		u = &[2]int64{at, at}
		k.id = strings.Clone(id)
		p.users[k] = u
	}
	return u
}

// days returns the sums of the hours by day.
func (p *pass) days() map[rollupKey]*sums {
	days := map[rollupKey]*sums{}
	for k, s := range p.hours {
		k.grain, k.at = 24, k.at-k.at%day
		d := days[k]
		if d == nil {
			d = &sums{}
			days[k] = d
		}
		d.merge(s)
	}
	return days
}

// save adds the pass to the stored sums.
func (p *pass) save(tx *db.Tx) error {
	if err := p.saveRollups(tx); err != nil {
		return err
	}
	for k, s := range p.sessions {
		if err := addToSession(tx, k.project, k.id, s); err != nil {
			return err
		}
	}
	for k, u := range p.users {
		if err := seeUser(tx, k.project, k.id, u[0], u[1]); err != nil {
			return err
		}
	}
	return setProgress(tx, p.next)
}

// rows returns the sums of the pass by hour and day, as parts of the rows that they are
// stored in.
func (p *pass) rows() map[rollupRow][]rollupPart {
	rows := map[rollupRow][]rollupPart{}
	for _, sums := range []map[rollupKey]*sums{p.hours, p.days()} {
		for k, s := range sums {
			rows[k.rollupRow] = append(rows[k.rollupRow], rollupPart{k.partKey, s})
		}
	}
	for _, parts := range rows {
		slices.SortFunc(parts, func(a, b rollupPart) int { return a.compare(b.partKey) })
	}
	return rows
}

// saveRollups adds the sums of the pass to those by hour and day.
func (p *pass) saveRollups(tx *db.Tx) error {
	for k, parts := range p.rows() {
		if err := changeRollup(tx, k, parts, add); err != nil {
			return err
		}
	}
	return nil
}

func (s *sums) merge(o *sums) {
	s.events += o.events
	s.errors += o.errors
	s.input += o.input
	s.output += o.output
	s.latencies.Merge(&o.latencies)
}
