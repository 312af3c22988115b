package ingest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"understudy/internal/platform/store"
)

// errAlone is returned by a transaction that changes stored events and must be
// retried while no pass of the roll-ups runs.
var errAlone = errors.New("changes stored events")

// coveredFor is how long the id of a span with a model call below it is stored
// while the span has not arrived.
const coveredFor = 7 * day

// CaptureSpans stores spans that CheckSpan has accepted, each as an event. It
// returns when they are durable. Spans that the project already has are left out
// with everything they say: sending them again changes nothing. It returns what
// CaptureEvents returns.
//
// Spans arrive in any order and in many requests, so two things are corrected
// when they become known. The session of a trace is the one that the first span
// to name one names, otherwise the trace id: events that are stored under the
// trace id move. The tokens of a span count unless a model call is below it: the
// tokens of such spans that are stored are subtracted.
func (in *Ingest) CaptureSpans(ctx context.Context, project string, spans []Span) error {
	if len(spans) == 0 {
		return nil
	}
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start(), b.Start()) })
	err := in.captureSpans(ctx, project, spans, false)
	if errors.Is(err, errAlone) {
		in.rollMu.Lock()
		err = in.captureSpans(ctx, project, spans, true)
		in.rollMu.Unlock()
	}
	if err == nil {
		in.follow()
	}
	return err
}

func (in *Ingest) captureSpans(ctx context.Context, project string, spans []Span, alone bool) error {
	return in.d.Store.AppendWith(ctx, project, func(tx *store.Tx) ([]Event, error) {
		a := arrival{in: in, tx: tx, project: project, alone: alone, stored: in.d.Store.ChangeIn(ctx, tx, project), at: map[string]int{}}
		if err := a.take(spans); err != nil || len(a.events) == 0 {
			return nil, err
		}
		for _, step := range []func() error{a.nameSessions, a.coverTokens, a.noteSessions, a.save} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		return a.events, nil
	})
}

// arrival is the spans of one request that are new, in one transaction.
type arrival struct {
	in      *Ingest
	tx      *store.Tx
	project string
	spans   []Span // by start
	events  []Event
	at      map[string]int // places by id
	alone   bool           // no pass of the roll-ups runs
	stored  Changes
	changed bool // stored events or sums

	covered map[string]bool // events that have a model call below them
}

// take keeps the new spans: not those that the project has, nor repeated ones.
func (a *arrival) take(spans []Span) error {
	ids := make([]string, len(spans))
	for i := range spans {
		ids[i] = spans[i].ID
	}
	known, err := a.stored.Known(ids)
	if err != nil {
		return err
	}
	for i := range spans {
		if _, twice := a.at[ids[i]]; twice || known[i] {
			continue
		}
		a.at[ids[i]] = len(a.spans)
		a.spans = append(a.spans, spans[i])
		a.events = append(a.events, spans[i].Event)
	}
	return nil
}

// nameSessions finds the session of each trace and sets it for all its spans.
func (a *arrival) nameSessions() error {
	namings := map[string]string{}
	traces, asked := map[string]bool{}, []string{}
	ask := func(trace string) {
		if !traces[trace] {
			traces[trace] = true
			asked = append(asked, trace)
		}
	}
	for i := range a.spans {
		s := &a.spans[i]
		ask(s.Trace)
		if s.Naming != "" && namings[s.Trace] == "" {
			namings[s.Trace] = s.Naming
		}
	}
	for _, trace := range slices.Clone(asked) {
		if name := namings[trace]; len(name) == len(trace) { // the name may be the id of another trace
			ask(name)
		}
	}
	named, err := tracesNamed(a.tx, a.project, asked)
	if err != nil {
		return err
	}
	for _, trace := range asked {
		name := namings[trace]
		if named[trace] != "" || name == "" {
			continue
		}
		name = cmp.Or(named[name], name)
		if err := a.name(trace, name); err != nil {
			return err
		}
		for t, session := range named {
			if session == trace {
				named[t] = name
			}
		}
		named[trace] = name
	}
	for i := range a.spans {
		a.events[i].Session = cmp.Or(named[a.spans[i].Trace], a.spans[i].Trace)
	}
	return nil
}

// name stores the session of a trace, and moves its stored events to it.
func (a *arrival) name(trace, session string) error {
	if err := nameTrace(a.tx, a.project, trace, session); err != nil || trace == session {
		return err
	}
	moved, err := a.stored.MoveSession(trace, session)
	if err != nil || !moved {
		return err
	}
	if err := a.change(); err != nil {
		return err
	}
	user, err := moveSession(a.tx, a.project, trace, session)
	if err == nil {
		a.in.owners.noteAfter(a.tx, a.project, trace, "")
		a.in.owners.noteAfter(a.tx, a.project, session, user)
	}
	return err
}

// change prepares the transaction for changing stored events and their sums.
func (a *arrival) change() error {
	if !a.alone {
		return errAlone
	}
	if a.changed {
		return nil
	}
	a.changed = true
	if _, err := lockProgress(a.tx); err != nil {
		return err
	}
	return noteChange(a.tx)
}

// coverTokens removes the tokens from the spans above a model call, because they
// repeat those of the call: from the spans of the request, from stored ones, and
// from later ones.
func (a *arrival) coverTokens() error {
	a.covered = map[string]bool{}
	ids := slices.Collect(maps.Keys(a.at))
	slices.Sort(ids)
	awaited, err := takeCovered(a.tx, a.project, ids)
	if err != nil {
		return err
	}
	for i := range a.spans {
		e := &a.events[i]
		calls := a.spans[i].Call && (e.InputTokens >= 0 || e.OutputTokens >= 0)
		if awaited[e.ID] {
			err = a.coverFrom(e.ID)
		} else if calls {
			err = a.coverFrom(e.Parent)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// coverFrom covers an event and all events above it.
func (a *arrival) coverFrom(id string) error {
	for id != "" && !a.covered[id] {
		a.covered[id] = true
		if i, ok := a.at[id]; ok {
			id = a.events[i].Parent
			a.events[i].cover()
			continue
		}
		e, number, err := a.stored.Event(id)
		if err != nil {
			return err
		}
		if e == nil {
			now := a.in.Now()
			if err := forgetCovered(a.tx, now-coveredFor); err != nil {
				return err
			}
			return cover(a.tx, a.project, id, now)
		}
		if e.Covered { // then all above it are covered too
			return nil
		}
		if err := a.change(); err != nil {
			return err
		}
		if err := a.uncount(e, number); err != nil {
			return err
		}
		id = e.Parent
		e.cover()
		if err := a.stored.Changed(number); err != nil {
			return err
		}
	}
	return nil
}

// cover removes the tokens of an event: a model call below it counts them.
func (e *Event) cover() { e.Covered, e.InputTokens, e.OutputTokens = true, Absent, Absent }

// uncount subtracts the tokens of a stored event from all sums that contain them.
func (a *arrival) uncount(e *Event, number int64) error {
	done, err := getProgress(a.tx)
	input, output := max(e.InputTokens, 0), max(e.OutputTokens, 0)
	if err != nil || number > done || input+output == 0 {
		return err
	}
	old, err := getRebuilding(a.tx)
	if err != nil {
		return err
	}
	return uncountTokens(a.tx, a.project, e, input, output, !old.pending || number <= old.done)
}

// noteSessions stores the facts in the spans about their sessions and users.
func (a *arrival) noteSessions() error {
	sessions := map[string]*Session{}
	var order []string
	for i := range a.spans {
		s, e := &a.spans[i], &a.events[i]
		if e.User == "" && len(s.Traits) == 0 && s.Program == "" {
			continue
		}
		n := sessions[e.Session]
		if n == nil {
			n = &Session{ID: e.Session, Started: e.Start(), Traits: Members{}}
			sessions[e.Session] = n
			order = append(order, e.Session)
		}
		n.User, n.Client = cmp.Or(n.User, e.User), cmp.Or(n.Client, s.Program)
		n.Started = min(n.Started, e.Start())
		maps.Copy(n.Traits, s.Traits)
	}
	for _, id := range order {
		if err := a.in.noteSession(a.tx, a.project, *sessions[id]); err != nil {
			return err
		}
	}
	return nil
}

func (a *arrival) save() error { return a.stored.Save() }
