package ingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// storedParts returns the row of a key with some parts in its stored form.
func storedParts(t *testing.T, k rollupRow, parts []rollupPart) storedRow {
	t.Helper()
	stored, events, err := changeParts(nil, parts, add)
	if err != nil {
		t.Fatal(err)
	}
	return storedRow{k, events, k.appendSum(events, stored)}
}

// A tally of many rows comes to the sums of all their parts that are asked for, although
// the bytes of a row are gone when the next one is read. Errors of reading and of damaged
// rows are returned.
func TestTallyAddsWhatIsReadMeanwhile(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	models := []string{"", "m1", "m2"}
	yes := true
	for name, q := range map[string]Sum{
		"by name":           {By: ByName, Latency: true},
		"calls by name":     {By: ByName, Kind: Calls, Latency: true},
		"two of five names": {By: ByName, Keys: []string{"tool 1", "tool 3"}, Latency: true},
		"by model":          {By: ByModel, Latency: true, Match: Match{Names: []string{"tool 0", "tool 4"}}},
		"one model":         {By: ByNothing, Latency: true, Match: Match{Models: []string{"m1"}}},
		"by success":        {By: BySuccess, Latency: true},
		"successes by day":  {By: ByNothing, Latency: true, Bounds: []int64{0, 3 * hour, 9 * hour}, Match: Match{Success: &yes}},
		"what they cost":    {By: ByName, Latency: true, Prices: Prices{"m2": {Input: 2, Output: 3}}},
	} {
		all := newTally(&q)
		want := map[tallyKey]*Sums{}
		keyOf := map[Dimension]func(k rollupKey) string{ByNothing: func(rollupKey) string { return "" }, ByName: func(k rollupKey) string { return k.tool },
			ByModel: func(k rollupKey) string { return k.model }, BySuccess: func(k rollupKey) string { return fmt.Sprint(k.success) }}[q.By]
		expect := func(k rollupKey, s *sums, latencies []int64) {
			if q.Kind != Everything && k.kind != q.Kind || len(q.Names) > 0 && !slices.Contains(q.Names, k.tool) ||
				len(q.Models) > 0 && !slices.Contains(q.Models, k.model) || q.Success != nil && *q.Success != k.success {
				return
			}
			at := tallyKey{key: keyOf(k)}
			if q.Keys != nil && !slices.Contains(q.Keys, at.key) {
				at = tallyKey{rest: true}
			}
			for at.period+1 < len(q.Bounds) && q.Bounds[at.period+1] <= k.at {
				at.period++
			}
			w := want[at]
			if w == nil {
				w = &Sums{}
				want[at] = w
			}
			w.Events, w.Errors, w.InputTokens, w.OutputTokens = w.Events+s.events, w.Errors+s.errors, w.InputTokens+s.input, w.OutputTokens+s.output
			if k.model == "m2" && q.Prices != nil {
				w.Cost += float64(2*s.input + 3*s.output)
			}
			if k.kind == Calls {
				w.Calls += s.events
			}
			for _, ms := range latencies {
				w.Latencies.Add(ms)
			}
		}
		var borrowed []byte
		err := all.gather(func(row func(storedRow)) error {
			for n := range 5*heldRows + 7 {
				k := rollupRow{"p", fmt.Sprint("tool ", n%5), 1, int64(n/5) * hour / 4}
				var parts []rollupPart
				for _, m := range models[:1+r.IntN(3)] {
					for i := range 1 + r.IntN(4) {
						part := rollupPart{partKey{m, Calls + Kind(i/2), i%2 == 0}, &sums{events: 1 + r.Int64N(90), input: r.Int64N(900), output: r.Int64N(90)}}
						if !part.success {
							part.errors = part.events
						}
						latencies := make([]int64, r.Int64N(part.events+1)*r.Int64N(2))
						for j := range latencies {
							latencies[j] = r.Int64N(50_000)
							part.latencies.Add(latencies[j])
						}
						expect(rollupKey{k, part.partKey}, part.sums, latencies)
						parts = append(parts, part)
					}
				}
				stored := storedParts(t, k, parts)
				for i := range borrowed {
					borrowed[i] = 0xee
				}
				borrowed = append(borrowed[:0], stored.parts...)
				stored.parts = borrowed
				row(stored)
			}
			return nil
		})
		if err != nil || len(all.at) != len(want) {
			t.Fatalf("%s: %d groups, want %d: %v", name, len(all.at), len(want), err)
		}
		for k, s := range all.at {
			w := want[k]
			if w == nil {
				t.Fatalf("%s: a group %v of nothing", name, k)
			}
			if a, b := s.Latencies.Percentiles(0, .5, .99, 1), w.Latencies.Percentiles(0, .5, .99, 1); s.Latencies.Count() != w.Latencies.Count() || !slices.Equal(a, b) {
				t.Errorf("%s: %v: %d latencies, %v, want %d, %v", name, k, s.Latencies.Count(), a, w.Latencies.Count(), b)
			}
			if s.Events != w.Events || s.Errors != w.Errors || s.InputTokens != w.InputTokens || s.OutputTokens != w.OutputTokens || s.Cost != w.Cost || s.Calls != w.Calls {
				t.Errorf("%s: %v: %+v, want %+v", name, k, s, w)
			}
		}
	}
	q := Sum{By: ByName, Latency: true}
	failed := errors.New("no row")
	bad := newTally(&q)
	if err := bad.gather(func(func(storedRow)) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error of reading became %v", err)
	}
	k := rollupRow{"p", "tool", 1, 0}
	for name, parts := range map[string][]byte{"no checksum": {1}, "cut off": k.appendSum(1, []byte{2, 9, 'm'}), "of another row": (&rollupRow{"p", "tool", 24, 0}).appendSum(1, nil),
		"with half a range": k.appendSum(1, []byte{2, 0, 2, 0, 0, 3, 2, 1, 9})} {
		err := bad.gather(func(row func(storedRow)) error { row(storedRow{k, 1, parts}); return nil })
		if !errors.Is(err, errDamagedSums) {
			t.Errorf("a row %s became %v", name, err)
		}
	}
}

// What is added to a row and subtracted again leaves it as it was; other parts keep their
// bytes, and a part without an event goes.
func TestPartsAreChangedAlone(t *testing.T) {
	part := func(model string, kind Kind, success bool, latencies ...int64) rollupPart {
		p := rollupPart{partKey{model, kind, success}, &sums{events: int64(len(latencies)), input: 5 * int64(len(latencies))}}
		for _, ms := range latencies {
			p.latencies.Add(ms)
		}
		return p
	}
	change := func(stored []byte, how change, parts ...rollupPart) ([]byte, int64) {
		t.Helper()
		slices.SortFunc(parts, func(a, b rollupPart) int { return a.compare(b.partKey) })
		out, events, err := changeParts(stored, parts, how)
		if err != nil {
			t.Fatal(err)
		}
		return out, events
	}
	before, events := change(nil, add, part("a", Calls, true, 3, 70, 70), part("a", Calls, false, 9), part("", Turns, true, 40))
	if events != 5 {
		t.Fatalf("%d events, want 5", events)
	}
	more, events := change(before, add, part("a", Calls, false, 11, 2000), part("b", Calls, true, 1))
	if events != 8 {
		t.Fatalf("%d events, want 8", events)
	}
	first, rest, err := cutPart(more)
	if err != nil || string(more[:len(more)-len(rest)]) != string(before[:len(more)-len(rest)]) || first.events != 1 || first.input != 5 {
		t.Errorf("the part that did not change is %+v: %v", first, err)
	}
	second, _, err := cutPart(rest)
	if err != nil || second.events != 3 || second.input != 15 || second.success || string(second.model) != "a" {
		t.Errorf("the part that changed is %+v: %v", second, err)
	}
	again, events := change(more, subtract, part("a", Calls, false, 11, 2000), part("b", Calls, true, 1), part("never stored", Calls, true, 1))
	if events != 5 || string(again) != string(before) {
		t.Errorf("%d events, %x, want 5, %x", events, again, before)
	}
	if none, events := change(again, subtract, part("a", Calls, true, 3, 70, 70), part("a", Calls, false, 9), part("", Turns, true, 40)); len(none) != 0 || events != 0 {
		t.Errorf("%d events are left in %x", events, none)
	}
	for n := 1; n < len(before); n++ {
		if _, _, err := changeParts(before[:n], nil, add); err == nil {
			whole := 0
			for rest := before[:n]; len(rest) > 0; whole++ {
				_, rest, _ = cutPart(rest)
			}
			if whole > 2 {
				t.Errorf("%d of %d bytes are taken for a whole row", n, len(before))
			}
		} else if !errors.Is(err, errDamagedSums) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// A row comes to what was added to it and not subtracted again, in whatever steps, and its
// bytes are the same for all of them.
func TestStepsThatChangeARow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 96))
	var keys []partKey
	for i := range 24 {
		keys = append(keys, partKey{[]string{"", "a", "ab", "b"}[i%4], Turns + Kind(i/4%3), i < 12})
	}
	var stored []byte
	have := map[partKey][]int64{} // latencies
	whole := func(of map[partKey][]int64) (parts []rollupPart) {
		for k, all := range of {
			s := &sums{events: int64(len(all))}
			for _, ms := range all {
				s.input += ms
				s.latencies.Add(ms)
			}
			parts = append(parts, rollupPart{k, s})
		}
		slices.SortFunc(parts, func(a, b rollupPart) int { return a.compare(b.partKey) })
		return parts
	}
	for step := range 500 {
		some := map[partKey][]int64{}
		how := change(r.IntN(2))
		for range 1 + r.IntN(6) {
			k := keys[r.IntN(len(keys))]
			if some[k] != nil {
				continue
			}
			if how == add {
				for range 1 + r.IntN(9) {
					some[k] = append(some[k], r.Int64N(3000))
				}
				have[k] = append(have[k], some[k]...)
			} else if n := len(have[k]); n > 0 {
				n = r.IntN(n)
				some[k], have[k] = slices.Clone(have[k][n:]), have[k][:n]
				if n == 0 {
					delete(have, k)
				}
			}
		}
		var events int64
		var err error
		if stored, events, err = changeParts(stored, whole(some), how); err != nil {
			t.Fatal(err)
		}
		want, wanted, _ := changeParts(nil, whole(have), add)
		if events != wanted || string(stored) != string(want) {
			t.Fatalf("step %d: %d events, want %d:\n%x\n%x", step, events, wanted, stored, want)
		}
	}
	if len(have) == 0 {
		t.Error("nothing is left to compare")
	}
}
