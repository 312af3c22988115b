package ingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A tally of many rows comes to the latencies of all, although the bytes of a row
// are gone when the next one is read. Errors of rows and of sketches are returned.
func TestTallyMergesWhatIsReadMeanwhile(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	q := Sum{By: ByName, Latency: true}
	all := tally{q: &q, at: map[tallyKey]*Sums{}}
	want := map[string]*Latencies{}
	var borrowed []byte
	row := func(tool string) error {
		s := sums{events: 1 + r.Int64N(900)}
		l := want[tool]
		if l == nil {
			l = &Latencies{}
			want[tool] = l
		}
		for range s.events {
			ms := r.Int64N(50_000)
			s.latency(ms)
			l.Add(ms)
		}
		for i := range borrowed {
			borrowed[i] = 0xee
		}
		borrowed = append(borrowed[:0], encodeSketch(s.sketch)...)
		return all.add(rollupKey{tool: tool}, &s, borrowed)
	}
	err := all.merging(func() error {
		for n := range 10*heldSketches + 7 {
			if err := row(fmt.Sprint("tool ", n%5)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(all.at) != len(want) {
		t.Fatalf("%d tools, want %d: %v", len(all.at), len(want), err)
	}
	for k, s := range all.at {
		l := want[k.key]
		if a, b := s.Latencies.Percentiles(0, .5, .99, 1), l.Percentiles(0, .5, .99, 1); s.Latencies.Count() != l.Count() || !slices.Equal(a, b) {
			t.Errorf("%s: %d latencies, %v, want %d, %v", k.key, s.Latencies.Count(), a, l.Count(), b)
		}
	}
	failed := errors.New("no row")
	bad := tally{q: &q, at: map[tallyKey]*Sums{}}
	if err := bad.merging(func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error of a row became %v", err)
	}
	if err := bad.merging(func() error { return bad.add(rollupKey{}, &sums{events: 1}, []byte{flagPage}) }); !errors.Is(err, errDamagedSums) {
		t.Errorf("a damaged sketch became %v", err)
	}
}
