// Package calendar computes when the cycles of a team begin and end. Cycles begin
// at midnight of one day of the week in the team's time zone and last whole weeks
// there, so that a change to summer time changes neither the day nor the local
// hour.
package calendar

import "time"

// Plan describes how a team divides time into cycles.
type Plan struct {
	Zone     *time.Location
	StartDay time.Weekday
	Weeks    int // the length of a cycle, 1 or more
	Cooldown int // weeks between the end of a cycle and the start of the next
}

// Span is the time of one cycle: it begins at Start and ends before End.
type Span struct{ Start, End time.Time }

// Containing returns the cycle that begins on the last start day before t, or on
// the day of t.
func (p Plan) Containing(t time.Time) Span {
	local := t.In(p.Zone)
	back := (int(local.Weekday()) - int(p.StartDay) + 7) % 7
	return p.span(local.Year(), local.Month(), local.Day()-back)
}

// From returns the first cycle that begins at t or later.
func (p Plan) From(t time.Time) Span {
	s := p.Containing(t)
	if s.Start.Before(t) {
		y, m, d := s.Start.In(p.Zone).Date()
		s = p.span(y, m, d+7)
	}
	return s
}

// After returns the cycle that follows one that ends at end.
func (p Plan) After(end time.Time) Span {
	y, m, d := end.In(p.Zone).Date()
	return p.From(p.cooled(end, y, m, d))
}

// cooled returns the end of the pause that follows a cycle.
func (p Plan) cooled(end time.Time, y int, m time.Month, d int) time.Time {
	if p.Cooldown == 0 {
		return end
	}
	return midnight(p.Zone, y, m, d+7*p.Cooldown)
}

func (p Plan) span(y int, m time.Month, d int) Span {
	return Span{midnight(p.Zone, y, m, d), midnight(p.Zone, y, m, d+7*p.Weeks)}
}

// midnight returns the first moment of a day in UTC. Where the clocks skip
// midnight, that is the moment to which they jump.
func midnight(zone *time.Location, y int, m time.Month, d int) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	want := time.Date(y, m, d, 12, 0, 0, 0, zone).Day()
	for t.Day() != want { // the time does not exist: time.Date returned one on the day before
		t = t.Add(15 * time.Minute)
	}
	return t.UTC()
}
