package schema

import (
	"math"
	"strconv"
	"testing"
)

// Ranks order keys as the keys order themselves.
func TestRanksAreInTheOrderOfKeys(t *testing.T) {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	for kind, values := range map[string][]string{
		"number": {number(-math.MaxFloat64), "-1000000", "-1.5", "-0.1", "0", number(math.SmallestNonzeroFloat64), "0.1", "1", "1.5", "9", "10", number(math.MaxFloat64)},
		"date":   {"0001-01-01", "0999-12-31", "1969-12-31", "1970-01-01", "2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2024-03-01", "9999-12-31"},
		"datetime": {"0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01", "1970-01-01T00:00:00.000Z", "2024-05-15T10:00:00.000Z",
			"2024-05-15T10:00:00.001Z", "9999-12-31T23:59:59.999Z"},
	} {
		p := &Property{Type: kind}
		for i := 1; i < len(values); i++ {
			a, b := p.Key(values[i-1]), p.Key(values[i])
			x, ok := p.Rank(a)
			y, also := p.Rank(b)
			if !ok || !also || a >= b || x >= y {
				t.Errorf("%s: %s (key %s, rank %d %v) does not come before %s (key %s, rank %d %v)", kind, values[i-1], a, x, ok, values[i], b, y, also)
			}
		}
	}
	for kind, key := range map[string]string{"number": "12", "date": "2024-02-31", "datetime": "2024-05-15T10:00:00Z"} {
		if rank, ok := (&Property{Type: kind}).Rank(key); ok {
			t.Errorf("%s: %q has the rank %d", kind, key, rank)
		}
	}
}

// The rank of a record's own times is that of their keys.
func TestRanksOfARecordsTimes(t *testing.T) {
	for _, micros := range []int64{-62135596800000000, -1, 0, 1, 999, 1_000, 1715767200000000, 1715767200123456, 253402300799999999, 253402300800000000} {
		r := &Record{Type: Contacts, ID: FirstID, Created: micros, Updated: micros + 1_000_000, Bag: `{"closedate":"2024-05-15T10:00:00.000Z"}`}
		for _, name := range []string{"createdate", "lastmodifieddate", "closedate", "notes_last_updated"} {
			p := &Property{Name: name, Type: "datetime", Object: Contacts}
			rank, ok := p.RankIn(r)
			if want, has := p.Rank(p.Key(r.Value(p))); rank != want || ok != has {
				t.Errorf("%s at %d: rank %d %v, not %d %v", name, micros, rank, ok, want, has)
			}
		}
	}
}
