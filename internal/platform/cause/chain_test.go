package cause

import (
	"math/rand/v2"
	"testing"

	"understudy/internal/platform/diff"
)

// The effect of a request on a row is found whether the request has few effects or
// many; one on a row that is gone is not found again.
func TestEffectsAreFoundByRequestAndRow(t *testing.T) {
	type key struct {
		seq int64
		row rowID
	}
	r := rand.New(rand.NewPCG(7, 7))
	found, model := newEffects([]int64{3, 1, 2}), map[key]int32{}
	for range 5000 {
		k := key{1 + r.Int64N(4), rowID{uint16(1 + r.IntN(2)), r.Int64N(150)}}
		if k.seq == 3 {
			k.row.row %= 5 // a request with few effects
		}
		by := found.of(k.seq)
		if k.seq == 4 {
			if by != nil {
				t.Fatal("a request that is not asked for has effects")
			}
			continue
		}
		at, known := found.find(by, k.row)
		if want, ok := model[k]; ok != known || ok && want != at {
			t.Fatalf("%v: found %d %v, want %d %v", k, at, known, want, ok)
		}
		if !known {
			model[k] = found.add(by, k.row, diff.Effect{Seq: k.seq})
			continue
		}
		if r.IntN(10) == 0 {
			found.list[at].Gone = true
			delete(model, k)
		}
	}
	if found.of(1).byRow == nil || found.of(3).byRow == nil && found.of(3).n >= longChain {
		t.Error("a request with many effects has no map of them")
	}
}
