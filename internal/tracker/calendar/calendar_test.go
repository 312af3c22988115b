package calendar

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Cycles begin at midnight where the team is, also when summer time begins or
// ends within one, and where midnight itself is skipped.
func TestCyclesBeginAtLocalMidnight(t *testing.T) {
	for name, c := range map[string]struct {
		zone            string
		day             time.Weekday
		weeks, cooldown int
		now             string
		start, end      string // of the cycle that contains now
		next            string // start of the one that follows
	}{
		"UTC":                      {"UTC", time.Monday, 2, 0, "2026-03-04T10:00:00Z", "2026-03-02T00:00:00Z", "2026-03-16T00:00:00Z", "2026-03-16T00:00:00Z"},
		"on the start day":         {"UTC", time.Monday, 1, 0, "2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z"},
		"just before it":           {"UTC", time.Monday, 1, 0, "2026-03-01T23:59:59Z", "2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z"},
		"a pause":                  {"UTC", time.Monday, 1, 2, "2026-03-04T10:00:00Z", "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z", "2026-03-23T00:00:00Z"},
		"summer time begins":       {"America/New_York", time.Sunday, 1, 0, "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-15T04:00:00Z", "2026-03-15T04:00:00Z"},
		"summer time ends":         {"Europe/Berlin", time.Friday, 1, 0, "2026-10-24T12:00:00Z", "2026-10-22T22:00:00Z", "2026-10-29T23:00:00Z", "2026-10-29T23:00:00Z"},
		"midnight does not exist":  {"Africa/Cairo", time.Friday, 1, 0, "2026-04-24T12:00:00Z", "2026-04-23T22:00:00Z", "2026-04-30T21:00:00Z", "2026-04-30T21:00:00Z"},
		"another day than in UTC":  {"Pacific/Kiritimati", time.Monday, 1, 0, "2026-03-01T11:00:00Z", "2026-03-01T10:00:00Z", "2026-03-08T10:00:00Z", "2026-03-08T10:00:00Z"},
		"a year with a leap day":   {"UTC", time.Saturday, 8, 0, "2028-02-20T00:00:00Z", "2028-02-19T00:00:00Z", "2028-04-15T00:00:00Z", "2028-04-15T00:00:00Z"},
		"across the turn of years": {"UTC", time.Wednesday, 1, 1, "2026-12-31T00:00:00Z", "2026-12-30T00:00:00Z", "2027-01-06T00:00:00Z", "2027-01-13T00:00:00Z"},
	} {
		p := Plan{zone(t, c.zone), c.day, c.weeks, c.cooldown}
		s := p.Containing(at(t, c.now))
		if !s.Start.Equal(at(t, c.start)) || !s.End.Equal(at(t, c.end)) {
			t.Errorf("%s: %s to %s", name, s.Start, s.End)
		}
		if n := p.After(s.End); !n.Start.Equal(at(t, c.next)) {
			t.Errorf("%s: the next begins at %s", name, n.Start)
		}
	}
}

// However plans change, cycles follow one another without overlap, and each
// begins on its day.
func TestCyclesNeverOverlap(t *testing.T) {
	for _, name := range []string{"UTC", "America/Sao_Paulo", "Asia/Beirut", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana"} {
		p := Plan{zone(t, name), time.Sunday, 1, 0}
		s := p.Containing(at(t, "2015-01-01T00:00:00Z"))
		for n := range 700 {
			p.StartDay, p.Weeks, p.Cooldown = time.Weekday(n/100), 1+n%8, n%3
			next := p.After(s.End)
			if next.Start.Before(s.End) || next.Start.In(p.Zone).Weekday() != p.StartDay || !next.End.After(next.Start) {
				t.Fatalf("%s: after %s comes %s to %s", name, s.End.In(p.Zone), next.Start.In(p.Zone), next.End.In(p.Zone))
			}
			s = next
		}
	}
}
