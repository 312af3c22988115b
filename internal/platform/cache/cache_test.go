package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/platform/bus"
)

// A value that was read before a change and put after it is not stored, in any
// of the caches of a topic.
func TestRowsForgetWhatChanged(t *testing.T) {
	b := &bus.Bus{}
	one, two := NewRows[string, int](b, "rows", 10), NewRows[string, int](b, "rows", 10)
	other := NewRows[string, int](b, "other", 10)
	for _, r := range []*Rows[string, int]{one, two, other} {
		_, _, epoch := r.Get("a")
		r.Put("a", 1, epoch)
		r.Put("b", 2, epoch)
	}
	_, _, before := two.Get("c")
	one.Drop("a")
	two.Put("c", 3, before)
	for _, r := range []*Rows[string, int]{one, two} {
		if _, ok, _ := r.Get("a"); ok {
			t.Error("what was dropped is there")
		}
		if v, ok, _ := r.Get("b"); !ok || v != 2 {
			t.Error("what was not dropped is gone")
		}
		if _, ok, _ := r.Get("c"); ok {
			t.Error("what was read before a change was kept after it")
		}
	}
	two.Clear()
	if _, ok, _ := one.Get("b"); ok {
		t.Error("it was not cleared")
	}
	if _, ok, _ := other.Get("a"); !ok {
		t.Error("another topic was cleared")
	}
	alone := NewRows[string, int](nil, "", 2)
	_, _, epoch := alone.Get("a")
	for i := range 5 {
		alone.Put(fmt.Sprint(i), i, epoch)
	}
	alone.Drop("4")
	if _, ok, _ := alone.Get("4"); ok {
		t.Error("without a bus it drops nothing")
	}
}

// Readers and a writer of one value: whoever reads after a change has been
// dropped never finds what was there before it.
func TestRowsModel(t *testing.T) {
	b := &bus.Bus{}
	r := NewRows[int, int64](b, "rows", 4)
	var stored, dropped atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				least := dropped.Load()
				v, ok, epoch := r.Get(1)
				if !ok {
					v = stored.Load()
					r.Put(1, v, epoch)
				}
				if v < least {
					t.Errorf("found %d after %d was dropped", v, least)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for n := range int64(5000) {
			stored.Store(n + 1)
			r.Drop(1)
			dropped.Store(n + 1)
		}
	})
	wg.Wait()
}

// The model is a list: values that are put or found move to the front, and
// values that do not fit are removed from its end.
func TestBoundedModel(t *testing.T) {
	const limit, most = 1000, 20
	type value struct{ key, bytes int }
	r := rand.New(rand.NewPCG(1, 2))
	b := NewBounded(limit, func(_ int, v *value) int { return v.bytes }).AtMost(most)
	var model []*value // the one used last first
	find := func(key int) int { return slices.IndexFunc(model, func(v *value) bool { return v.key == key }) }
	trim := func() {
		for sum := 0; ; sum = 0 {
			for _, v := range model {
				sum += v.bytes
			}
			if sum <= limit && len(model) <= most {
				return
			}
			model = model[:len(model)-1]
		}
	}
	for range 20_000 {
		key := r.IntN(40)
		at := find(key)
		switch r.IntN(5) {
		case 0:
			v := &value{key, r.IntN(limit / 4)}
			if r.IntN(50) == 0 {
				v.bytes = limit + 1
			}
			b.Put(key, v)
			if at >= 0 {
				model = slices.Delete(model, at, at+1)
			}
			if v.bytes <= limit {
				model = slices.Insert(model, 0, v)
			}
		case 1:
			if at >= 0 {
				model[at].bytes += r.IntN(40)
				b.Reweigh(key)
			}
		case 2:
			b.Drop(key)
			if at >= 0 {
				model = slices.Delete(model, at, at+1)
			}
		default:
			v, ok := b.Get(key)
			if ok != (at >= 0) || ok && v != model[at] {
				t.Fatalf("found %v %v, want place %d", v, ok, at)
			}
			if ok {
				model = slices.Insert(slices.Delete(model, at, at+1), 0, v)
			}
		}
		trim()
		n, weight := b.Len()
		sum := 0
		for _, v := range model {
			sum += v.bytes
		}
		if !slices.Equal(values(b), model) || n != len(model) || weight != sum {
			t.Fatalf("%d values of %d bytes, want %d of %d", n, weight, len(model), sum)
		}
	}
}

func TestBoundedKeepsWhatIsNewer(t *testing.T) {
	b := NewBounded(100, func(string, int) int { return 1 })
	b.Put("a", 7)
	b.PutUnless("a", 6, func(old int) bool { return old > 6 })
	if v, ok := GetBytes(b, []byte("a")); !ok || v != 7 {
		t.Error("a newer one was replaced")
	}
	b.PutUnless("a", 8, func(old int) bool { return old > 8 })
	if v, _ := b.Get("a"); v != 8 {
		t.Error("an older one was kept")
	}
}

// values returns all values, the one used last first.
func values[K comparable, V any](b *Bounded[K, V]) (out []V) {
	for e := b.order.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(*entry[K, V]).value)
	}
	return out
}
