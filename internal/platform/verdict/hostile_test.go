package verdict

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/seeddoc"
)

func TestCountsAreDecidedWithoutCounting(t *testing.T) {
	for least := range 5 {
		for most := -1; most < 5; most++ {
			c := count{least, most}
			for from := range 6 {
				for to := from; to < 8; to++ {
					can, must := false, true
					for n := from; n <= to; n++ {
						can, must = can || c.holds(n), must && c.holds(n)
					}
					if most >= 0 && most < least {
						continue // refused when it is read
					}
					if gotCan, gotMust := c.decides(from, to); gotCan != can || gotMust != must {
						t.Errorf("%v from %d to %d: %v %v, want %v %v", c, from, to, gotCan, gotMust, can, must)
					}
				}
			}
		}
	}
	// Nothing is known of the requests, so there may have been any number.
	rules := strings.Repeat(`{"called": {"service": "crm"}, "count": {"at_least": 2147483647}}, `, 199) + `{"never": {"service": "crm"}}`
	n, err := seeddoc.ParseJSON([]byte(`{"trajectory": [` + rules + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(n, words)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for _, r := range d.trajectory {
		c := course{scope: &scope{ctx: context.Background()}}
		if got, err := c.rule(r); err != nil || got.Passed != nil {
			t.Fatalf("%v is decided: %v", got, err)
		}
	}
	if took := time.Since(began); took > time.Minute { // counting up to the bounds takes far longer
		t.Errorf("200 rules take %v", took)
	}
}

// A verdict that takes too long is given up, with a refusal that says so.
func TestAVerdictThatTakesTooLongIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Nanosecond, TooLong)
	defer cancel()
	<-ctx.Done()
	e := &evaluation{doc: &Document{}, source: unknownSource{}, scope: &scope{ctx: ctx}, byKind: map[*kind][]*change{}}
	k := words.byName["crm.contact"]
	one := &change{thing: thing{kind: k}, diff: &diff.Change{}, op: "insert"}
	e.changes, e.byKind[k] = []*change{one}, []*change{one}
	if _, err := e.expect(&expectation{act: inserted, kind: k, count: count{1, 1}}); !errors.Is(err, TooLong) {
		t.Errorf("an expectation returns %v", err)
	}
	if _, err := (&remainder{evaluation: e}).decide(); !errors.Is(err, TooLong) {
		t.Errorf("nothing_else returns %v", err)
	}
	if _, err := (&course{scope: e.scope, requests: recorded()}).rule(&rule{act: called, selectors: []*selector{{}}}); !errors.Is(err, TooLong) {
		t.Errorf("a rule returns %v", err)
	}
}

// follows are kinds of which one's changes follow from the other's.
func follows() (v *Vocabulary, cause, effect *kind) {
	v = NewVocabulary([]diff.Entity{
		{Service: "x", Name: "cause", Table: "cause", Columns: map[string]diff.Column{"id": diff.As("id", diff.Text)}, Consequences: []diff.Consequence{{Of: "x.effect"}}},
		{Service: "x", Name: "effect", Table: "effect", Columns: map[string]diff.Column{"id": diff.As("id", diff.Text)}, Consequences: []diff.Consequence{{Of: "x.cause"}}},
	}, nil, []string{"x"})
	return v, v.byName["x.cause"], v.byName["x.effect"]
}

// remainderOf returns what nothing_else looks at: changes by the agent, each by one of some requests.
func remainderOf(v *Vocabulary, of []*kind, requests, changes int, r *rand.Rand) (*remainder, []*change) {
	e := &evaluation{scope: &scope{ctx: context.Background(), names: &lookup{vocabulary: v}}, byKind: map[*kind][]*change{}}
	for i := range changes {
		c := &change{thing: thing{kind: of[r.Intn(len(of))], key: fmt.Sprint(i)}, diff: &diff.Change{}, op: "insert"}
		for range r.Intn(3) { // none: it is not known by whom
			c.writers = append(c.writers, Writer{Seq: int64(1 + r.Intn(requests))})
		}
		if requests > 1000 && c.writers == nil {
			c.writers = []Writer{{Seq: int64(1 + r.Intn(requests))}}
		}
		e.changes, e.byKind[c.kind] = append(e.changes, c), append(e.byKind[c.kind], c)
	}
	return &remainder{evaluation: e, together: map[*kind]*together{}}, e.changes
}

// The changes of a request are found as if each had been compared with all others.
func TestConsequencesAreFoundByRequest(t *testing.T) {
	v, cause, effect := follows()
	r := rand.New(rand.NewSource(7))
	for range 300 {
		e, all := remainderOf(v, []*kind{cause, effect}, 8, 30, r)
		for _, c := range all {
			for _, k := range []*kind{cause, effect} {
				var want, got string
				for _, other := range e.byKind[k] {
					shared := len(c.writers) == 0 || len(other.writers) == 0
					for _, w := range c.writers {
						for _, o := range other.writers {
							shared = shared || w.Seq == o.Seq
						}
					}
					if shared {
						want += other.key + " "
					}
				}
				for other := range e.writtenWith(k, c) {
					got += other.key + " "
				}
				if got != want {
					t.Fatalf("beside %s of %v stand %s, want %s", c.key, c.writers, got, want)
				}
			}
		}
	}
	e, all := remainderOf(v, []*kind{cause, effect}, 50_000, 100_000, r)
	began := time.Now()
	if _, _, err := e.withoutConsequences(map[*change]bool{}, all, nil); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*time.Minute { // comparing each change with each other takes far longer
		t.Errorf("100,000 changes take %v", took)
	}
}

func TestEvidenceIsShort(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for _, v := range []any{long, []any{long}, map[string]any{"a": long}} {
		text, ok := shortened(v).(string)
		if !ok || len(text) > maxShown+100 || !strings.Contains(text, "bytes)") {
			t.Errorf("%d bytes: %.100q", len(text), text)
		}
	}
	for _, v := range []any{"short", nil, []any{"a"}, 5} {
		if got := fmt.Sprint(shortened(v)); got != fmt.Sprint(v) {
			t.Errorf("%v is shown as %s", v, got)
		}
	}
	var near nearest
	failed := make([]Difference, 1000)
	for i := range failed {
		failed[i] = Difference{fmt.Sprint(i), long, long}
	}
	near.add(1, Near{Failed: failed})
	if got := near.shown()[0].Failed; len(got) != maxEvidence || len(got[0].Found.(string)) > maxShown+100 || len(failed[0].Found.(string)) != len(long) {
		t.Errorf("%d differences", len(got))
	}
}
