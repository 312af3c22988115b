package ingest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	db "understudy/internal/platform/store"
)

// SeriesQuery selects sums by periods of time.
type SeriesQuery struct {
	Filter
	Interval Interval
	Zone     *time.Location // for days and weeks; nil for UTC
	Fill     bool           // also periods without an event
	By       Dimension
	Kind     Kind
	Trait    string // for ByLabel
	Top      int    // the number of groups with a series of their own
	Distinct bool   // also count distinct users
}

// Interval is the length of a period.
type Interval int

// The intervals. Weeks begin on Monday.
const (
	Hourly Interval = iota
	Minutely
	FiveMinutes
	Daily
	Weekly
)

// Series is the points of one group.
type Series struct {
	Key    string
	Rest   bool // of all keys that have no series of their own
	Points []Point
}

// Point is the sums of a period.
type Point struct {
	Time int64 // its beginning, milliseconds
	Sums
	Users int64 // distinct users, if requested
}

// maxPoints bounds the points of all series of a reply.
const maxPoints = 20_000

// TooManyPoints is the error of an interval that is too short for its period.
var TooManyPoints = ValidationFailed.At("interval")

// Series sums up the events of each period that has some, in order. With
// ByNothing it returns one series, otherwise one for each group, the largest
// first. With Distinct it also counts the different users of each period. It
// returns TooManyPoints.
func (in *Ingest) Series(ctx context.Context, project string, q SeriesQuery) ([]Series, error) {
	bounds, err := in.bounds(ctx, project, &q)
	if err != nil {
		return nil, err
	}
	if len(bounds) == 0 {
		if q.By == ByNothing {
			return []Series{{}}, nil
		}
		return nil, nil
	}
	s := Sum{By: q.By, Kind: q.Kind, Latency: true, Bounds: bounds}
	if q.Distinct {
		s.Distinct = []Dimension{ByUser}
	}
	if q.By == ByLabel {
		if s.Labels, err = in.labels(ctx, project, q.Trait); err != nil {
			return nil, err
		}
	}
	// With so few labels that each has a series of its own, the events need not be counted first.
	few := q.By == ByLabel && s.Labels.names() <= q.Top
	if q.By != ByNothing && !few {
		if s.Keys, err = in.largest(ctx, project, &q, s); err != nil {
			return nil, err
		}
	}
	if err := checkPoints(bounds, s.Keys); err != nil {
		return nil, err
	}
	groups, err := in.sum(ctx, project, q.Filter, s)
	if err != nil {
		return nil, err
	}
	keys := s.Keys
	if few {
		keys = q.largest(groups)
	}
	return seriesOf(&q, keys, bounds, groups), checkPoints(bounds, keys)
}

// checkPoints returns TooManyPoints for more points than a reply can contain.
func checkPoints(bounds []int64, keys []string) error {
	if n := len(bounds) * (len(keys) + 1); n > maxPoints {
		return TooManyPoints.Detailf("interval is too short for the period: %d points; limit is %d", n, maxPoints)
	}
	return nil
}

// seriesOf puts groups into the order of keys and periods.
func seriesOf(q *SeriesQuery, keys []string, bounds []int64, groups []Group) []Series {
	out := make([]Series, 0, len(keys)+1)
	for _, k := range keys {
		out = append(out, Series{Key: k})
	}
	if q.By == ByNothing || slices.ContainsFunc(groups, func(g Group) bool { return g.Rest }) {
		out = append(out, Series{Rest: q.By != ByNothing})
	}
	ordered := make([]*Group, len(groups)) // by period
	for i := range groups {
		ordered[i] = &groups[i]
	}
	slices.SortFunc(ordered, func(a, b *Group) int { return cmp.Compare(a.Period, b.Period) })
	filled := make([]int, len(out)) // number of periods of each
	if most := len(bounds) * len(out); most > 0 && len(groups) > most/2 {
		for i := range out {
			out[i].Points = make([]Point, 0, len(bounds))
		}
	}
	for _, g := range ordered {
		at := slices.Index(keys, g.Key)
		if g.Rest || q.By == ByNothing {
			at = len(out) - 1
		}
		s := &out[at]
		for ; q.Fill && filled[at] < g.Period; filled[at]++ {
			s.Points = append(s.Points, Point{Time: bounds[filled[at]]})
		}
		p := Point{Time: bounds[g.Period], Sums: g.Sums}
		if q.Distinct {
			p.Users = g.Distinct[0]
		}
		s.Points = append(s.Points, p)
		filled[at] = g.Period + 1
	}
	for at := range out {
		for ; q.Fill && filled[at] < len(bounds); filled[at]++ {
			out[at].Points = append(out[at].Points, Point{Time: bounds[filled[at]]})
		}
	}
	return out
}

// largest returns the keys with the most events.
func (in *Ingest) largest(ctx context.Context, project string, q *SeriesQuery, s Sum) ([]string, error) {
	s.Bounds, s.Latency, s.Distinct = nil, false, nil
	groups, err := in.sum(ctx, project, q.Filter, s)
	if err != nil {
		return nil, err
	}
	return q.largest(groups), nil
}

// largest returns the keys with the most events in all periods together.
func (q *SeriesQuery) largest(groups []Group) []string {
	events := map[string]int64{}
	for i := range groups {
		events[groups[i].Key] += groups[i].Events
	}
	keys := slices.SortedFunc(maps.Keys(events), func(a, b string) int { return cmp.Or(cmp.Compare(events[b], events[a]), cmp.Compare(a, b)) })
	return append([]string{}, keys[:min(len(keys), q.Top)]...)
}

// labels returns the values of a trait, by user.
func (in *Ingest) labels(ctx context.Context, project, trait string) (Labels, error) {
	values := map[string][]string{}
	err := in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachTraitOf(tx, project, trait, func(value, user string) { values[user] = append(values[user], value) })
	})
	out := Labels{Choices: [][]string{{""}}, Of: make(map[string]int, len(values))}
	places := map[string]int{}
	for user, labels := range values {
		slices.Sort(labels)
		id := fmt.Sprintf("%q", labels)
		at, ok := places[id]
		if !ok {
			at = len(out.Choices)
			places[id], out.Choices = at, append(out.Choices, labels)
		}
		out.Of[user] = at
	}
	return out, err
}

// bounds returns the beginnings of the periods that may have events, or of all
// requested ones.
func (in *Ingest) bounds(ctx context.Context, project string, q *SeriesQuery) ([]int64, error) {
	from, to := q.From, q.To
	if from == 0 || to == 0 || !q.Fill {
		least, greatest, err := in.d.Store.Extent(ctx, project)
		if err != nil {
			return nil, err
		}
		if greatest == 0 && (from == 0 || to == 0) {
			return nil, nil
		}
		if from == 0 || !q.Fill {
			from = max(from, least)
		}
		if to == 0 || !q.Fill {
			to = min(cmp.Or(to, greatest+1), greatest+1)
		}
	}
	if from >= to {
		return nil, nil
	}
	zone := cmp.Or(q.Zone, time.UTC)
	var out []int64
	for at := q.Interval.begin(from, zone); at < to; at = q.Interval.next(at, zone) {
		if out = append(out, at); len(out) > maxPoints {
			return nil, TooManyPoints.Detailf("interval is too short for the period: more than %d points", maxPoints)
		}
	}
	return out, nil
}

// begin returns the beginning of the period of a time.
func (i Interval) begin(ms int64, zone *time.Location) int64 {
	t := time.UnixMilli(ms).In(zone)
	y, m, d := t.Date()
	switch i {
	case Daily:
		return dayOf(y, m, d, zone)
	case Weekly:
		return dayOf(y, m, d-(int(t.Weekday())+6)%7, zone)
	}
	_, offset := t.Zone()
	shift := int64(offset) * 1000
	return ms - (ms+shift)%i.width()
}

// next returns the end of the period that begins at a time.
func (i Interval) next(ms int64, zone *time.Location) int64 {
	y, m, d := time.UnixMilli(ms).In(zone).Date()
	switch i {
	case Daily:
		return dayOf(y, m, d+1, zone)
	case Weekly:
		return dayOf(y, m, d+7, zone)
	}
	return i.begin(ms+i.width(), zone)
}

// dayOf returns the beginning of a day: the first moment of its date or, if the zone
// has no such date, of the next one. Clocks that are put forward at midnight skip it,
// and clocks that are put back past midnight have it twice.
func dayOf(y int, m time.Month, d int, zone *time.Location) int64 {
	t, wanted := time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	begin, end := t.ZoneBounds()
	if y, m, d := t.Date(); time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(wanted) {
		return end.UnixMilli()
	}
	if begin.IsZero() {
		return t.UnixMilli()
	}
	_, offset := t.Zone()
	_, earlier := begin.Add(-1).Zone()
	if first := t.Add(time.Duration(offset-earlier) * time.Second); first.Before(begin) && earlier > offset {
		t = first
	}
	return t.UnixMilli()
}

func (i Interval) width() int64 {
	switch i {
	case Minutely:
		return 60_000
	case FiveMinutes:
		return 5 * 60_000
	}
	return hour
}
