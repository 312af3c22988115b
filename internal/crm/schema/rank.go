package schema

import (
	"strconv"
	"time"
)

// Ranked reports whether values have ranks: those of numbers, dates and times do.
func (p *Property) Ranked() bool {
	return p.Type == "number" || p.Type == "date" || p.Type == "datetime"
}

// Rank returns the rank of a key of p: ranks sort like the keys, and different
// keys have different ranks. It returns false for a key without a rank, such as
// an invalid date.
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
		rank++ // a day sorts before its first moment
	}
	return rank, true
}

// RankIn returns the rank of a record's value of p, which must be ranked and have
// one value. It returns false without a value, and for one without a rank.
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

// rankOfTime returns the rank of the key of a time in microseconds.
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
