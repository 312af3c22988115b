package entity

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Moment is a time or a date in a filter: absolute, or a duration from now.
type Moment struct {
	At                  time.Time // when absolute
	Relative            bool
	years, months, days int
	rest                time.Duration
}

// Resolve returns the time; a relative one is counted from now.
func (m Moment) Resolve(now time.Time) time.Time {
	if !m.Relative {
		return m.At
	}
	return now.AddDate(m.years, m.months, m.days).Add(m.rest)
}

var (
	duration = regexp.MustCompile(`^(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$`)
	layouts  = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
		"2006-01-02", "2006-01", "2006"}
)

// ParseTime parses an ISO 8601 time, also in its short forms. Without a zone it
// is UTC.
func ParseTime(s string) (time.Time, bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && t.Year() > 0 && t.Year() < 10000 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// ParseMoment parses a time, or an ISO 8601 duration from now such as -P2W1D.
func ParseMoment(s string) (Moment, bool) {
	if t, ok := ParseTime(s); ok {
		return Moment{At: t}, true
	}
	p := duration.FindStringSubmatch(s)
	if p == nil || strings.Join(p[2:], "") == "" || len(s) > 40 {
		return Moment{}, false
	}
	n := make([]int, len(p))
	for i := 2; i < len(p); i++ {
		n[i], _ = strconv.Atoi(p[i])
		if n[i] > 100_000_000 || n[i] < -100_000_000 {
			return Moment{}, false
		}
		if p[1] == "-" {
			n[i] = -n[i]
		}
	}
	m := Moment{Relative: true, years: n[2], months: n[3], days: 7*n[4] + n[5]}
	m.rest = time.Duration(n[6])*time.Hour + time.Duration(n[7])*time.Minute + time.Duration(n[8])*time.Second
	if y := m.Resolve(time.Unix(0, 0)).Year(); y < -5000 || y > 9000 {
		return Moment{}, false
	}
	return m, true
}

// ParseDate parses YYYY-MM-DD, or a time, of which it returns the date.
func ParseDate(s string) (string, bool) {
	t, ok := ParseTime(s)
	if !ok || len(s) < len("2006-01-02") {
		return "", false
	}
	return t.Format("2006-01-02"), true
}
