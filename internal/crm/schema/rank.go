package schema

import (
	"strconv"
	"time"
)

// Ranked reports whether values have ranks: numbers, dates and times have.
func (p *Property) Ranked() bool {
	return p.Type == "number" || p.Type == "date" || p.Type == "datetime"
}

// Rank returns the place of a key of p among all such keys: ranks compare as
// the keys do, and two keys never share one. It returns false for a key that
// has no rank, as a date that is no day.
func (p *Property) Rank(key string) (rank uint64, ok bool) {
	if p.Type == "number" {
		n, err := strconv.ParseUint(key, 16, 64)
		return n, err == nil && len(key) == 16
	}
	layout := DateOnly
	if len(key) != len(DateOnly) {
		layout = ISOMillis
	}
	t, err := time.Parse(layout, key)
	if err != nil || len(key) != len(layout) {
		return 0, false
	}
	rank = uint64(t.UnixMilli()-yearOne) << 1
	if layout == ISOMillis {
		rank++ // a day comes before its first moment
	}
	return rank, true
}

// yearOne is the first moment of the year 1, in milliseconds since 1970.
const yearOne = -62135596800000
