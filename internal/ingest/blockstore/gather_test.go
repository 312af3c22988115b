package blockstore

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// patient returns a gatherer after a write of group appends that took a
// millisecond, during which others arrived, and what is there some time later.
func patient(group, others, later int) (g *gatherer, end time.Time) {
	g, end = &gatherer{took: time.Millisecond}, time.Unix(1000, 0)
	for range others {
		g.add(&waiting{})
	}
	g.wrote(group, end.Add(-time.Millisecond), end)
	for range later {
		g.add(&waiting{})
	}
	return g, end
}

func TestAWriteWaitsForMostOfTheCallers(t *testing.T) {
	for _, row := range []struct {
		about                string
		group, others, later int
		passed               time.Duration
		want                 time.Duration
	}{
		{"nobody is there", 8, 0, 0, 0, 0},
		{"a lone caller is back", 1, 0, 1, 0, 0},
		{"one of two is back", 2, 0, 1, 0, time.Millisecond},
		{"both are back", 2, 0, 2, 0, 0},
		{"two that missed each other", 1, 1, 0, 0, time.Millisecond},
		{"two that meet", 1, 1, 1, 0, 0},
		{"half are there", 20, 20, 0, 0, time.Millisecond},
		{"most are there", 20, 20, 10, 0, 0},
		{"a part of the time is over", 20, 20, 0, 300 * time.Microsecond, 700 * time.Microsecond},
		{"the time is over", 20, 20, 0, time.Millisecond, 0},
	} {
		g, end := patient(row.group, row.others, row.later)
		if d := max(0, g.patience(end.Add(row.passed))); d != row.want {
			t.Errorf("%s: waits for %s, want %s", row.about, d, row.want)
		}
	}
}

func TestAWriteWaitsForTheTimeOfAWriteAtMost(t *testing.T) {
	g, end := patient(2, 0, 1)
	for range 100 {
		g.wrote(2, end.Add(-time.Second), end)
	}
	if d := g.patience(end); d != maxPatience {
		t.Errorf("waits for %s after slow writes", d)
	}
}

// Callers that do not come back are waited for once.
func TestAWriteForgetsCallersThatStayAway(t *testing.T) {
	g, end := patient(30, 0, 1)
	if g.patience(end) <= 0 {
		t.Fatal("the first write does not wait")
	}
	g.appends = nil
	g.wrote(1, end, end.Add(time.Millisecond))
	g.add(&waiting{})
	if d := g.patience(end.Add(time.Millisecond)); d > 0 {
		t.Errorf("the second write waits for %s", d)
	}
}

// Callers that append one thing after another share writes.
func TestCallersMeetInAWrite(t *testing.T) { synctest.Test(t, callersMeet) }

func callersMeet(t *testing.T) {
	g, writes, all := &gatherer{}, 0, 0
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			time.Sleep(time.Duration(k) * 2 * time.Millisecond)
			for range 50 {
				w := &waiting{done: make(chan error, 1)}
				g.add(w)
				<-w.done
				time.Sleep(time.Millisecond)
			}
		})
	}
	for all < 8*50 {
		group := g.next()
		if len(group) == 0 {
			time.Sleep(50 * time.Microsecond)
			continue
		}
		began := time.Now()
		time.Sleep(4 * time.Millisecond)
		g.wrote(len(group), began, time.Now())
		for _, w := range group {
			w.done <- nil
		}
		writes, all = writes+1, all+len(group)
	}
	wg.Wait()
	if all > 8*50 || all < 5*writes {
		t.Errorf("%d appends in %d writes", all, writes)
	}
}
