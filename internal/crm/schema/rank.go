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

// RankIn returns the rank of a record's value of p, which is ranked and holds one
// value. It returns false for no value, and for one that has no rank.
func (p *Property) RankIn(r *Record) (rank uint64, ok bool) {
	if p.Type == "datetime" {
		switch p.Column() {
		case "created":
			return rankOfTime(r.Created)
		case "updated":
			return rankOfTime(r.Updated)
		}
	}
	return p.Rank(p.Key(r.Value(p)))
}

// rankOfTime returns the rank of the key of a time, given in microseconds.
func rankOfTime(micros int64) (rank uint64, ok bool) {
	ms := time.UnixMicro(micros).UnixMilli()
	if ms < yearOne || ms > lastOf9999 {
		return 0, false
	}
	return uint64(ms-yearOne)<<1 + 1, true
}

// lastOf9999 is the last moment of the year 9999, in milliseconds since 1970: later years have five digits.
const lastOf9999 = 253402300799999

// yearOne is the first moment of the year 1, in milliseconds since 1970.
const yearOne = -62135596800000
