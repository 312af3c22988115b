package blockstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// mergeAll merges until there is nothing more to merge.
func mergeAll(t *testing.T, s *Store) {
	t.Helper()
	for {
		more, err := s.Upkeep.Merge(t.Context(), 1<<60)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// numbered returns the events of a project by number.
func numbered(t *testing.T, s *Store, q ingest.Query) map[int64]ingest.Event {
	t.Helper()
	q.Detail = true
	out := map[int64]ingest.Event{}
	err := s.Query(t.Context(), q, func(c *ingest.Columns) (bool, error) {
		list, err := c.Detail()
		if len(list) != c.N {
			t.Errorf("a group of %d events has %d in detail", c.N, len(list))
		}
		for i, e := range list {
			if _, twice := out[c.Number(i)]; twice {
				t.Errorf("number %d is there twice", c.Number(i))
			}
			if e.Time != c.Time[i] || e.Session != c.Session.At(i) {
				t.Errorf("number %d: columns and detail differ", c.Number(i))
			}
			out[c.Number(i)] = e
		}
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func countBlocks(t *testing.T, s *Store) (n int) {
	t.Helper()
	err := s.Query(t.Context(), ingest.Query{}, func(*ingest.Columns) (bool, error) { n++; return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Events of two projects, sent one by one, end in few blocks, with the numbers
// and contents that they had, found in every way; a copy from before shows no
// difference, in pages of any size.
func TestMergingChangesNothingThatCanBeSeen(t *testing.T) {
	for name, url := range map[string]string{"sqlite": "", "postgres": storetest.DatabaseURL(t)} {
		t.Run(name, func(t *testing.T) {
			db, err := storetest.Open(t.Context(), url, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			w, err := db.Open(t.Context(), "merge_now", schemas)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = w.Close() })
			s := open(t, w)
			defer s.Close()
			const n = 700
			for i := range n {
				if err := s.Append(t.Context(), fmt.Sprint("p", i%2), events(i, i+1)); err != nil {
					t.Fatal(err)
				}
			}
			before := [2]map[int64]ingest.Event{numbered(t, s, ingest.Query{Project: "p0"}), numbered(t, s, ingest.Query{Project: "p1"})}
			if err := db.Copy(t.Context(), "merge_now", "merge_past"); err != nil {
				t.Fatal(err)
			}
			mergeAll(t, s)
			if got := countBlocks(t, s); got > 24 {
				t.Errorf("%d blocks remain", got)
			}
			for i, was := range before {
				project := fmt.Sprint("p", i)
				if got := numbered(t, s, ingest.Query{Project: project}); !reflect.DeepEqual(got, was) {
					t.Errorf("%s: %d events, of %d", project, len(got), len(was))
				}
				var some []int64
				for number := range was {
					some = append(some, number)
				}
				if got := numbered(t, s, ingest.Query{Project: project, Groups: some[:10]}); got[some[3]].ID != was[some[3]].ID {
					t.Errorf("event %d is not in its group", some[3])
				}
				after := numbered(t, s, ingest.Query{Project: project, After: 333})
				for number := range was {
					if _, ok := after[number]; ok != (number > 333) {
						t.Errorf("number %d is after 333: %v", number, ok)
					}
				}
				list := numbered(t, s, ingest.Query{Project: project, Sessions: []string{"session-3"}})
				for number, e := range was {
					if _, ok := list[number]; e.Session == "session-3" && !ok {
						t.Errorf("event %d is not in the groups of its session", number)
					}
				}
			}
			for i := range n { // all are known
				if err := s.Append(t.Context(), fmt.Sprint("p", i%2), events(i, i+1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Append(t.Context(), "p0", events(n, n+50)); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = open(t, w) // likewise after a restart
			defer s.Close()
			if err := s.Append(t.Context(), "p0", events(n, n+50)); err != nil {
				t.Fatal(err)
			}
			if got := len(numbered(t, s, ingest.Query{})); got != n+50 {
				t.Errorf("%d events, want %d", got, n+50)
			}
			past, err := db.OpenCopy(t.Context(), "merge_past", schemas)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = past.Close() }()
			for _, limit := range []int{5, 1000} {
				if inserts, others := compared(t, past, w, limit); len(inserts) != 50 || others != 0 {
					t.Errorf("pages of %d: the diff has %d new events and %d other changes", limit, len(inserts), others)
				}
			}
		})
	}
}

// compared walks over all pages of a diff.
func compared(t *testing.T, from, to *store.World, limit int) (inserts map[string]bool, others int) {
	t.Helper()
	inserts = map[string]bool{}
	for cursor := ""; ; {
		ctx, done := context.WithCancel(t.Context())
		got, err := diff.Compare(ctx, Entities(), map[string]*store.World{"": from}, map[string]*store.World{"": to}, diff.Options{Limit: limit, Cursor: cursor})
		done()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Inserts {
			inserts[c.Key] = true
		}
		others += len(got.Updates) + len(got.Deletes)
		if cursor = got.Next; cursor == "" {
			return inserts, others
		}
	}
}

// Whatever is captured, merged, removed and erased in whatever order, across
// restarts: the store holds what a list of all events would.
func TestTheStoreHoldsWhatAListWould(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		open := func() *Store {
			s := open(t, w)
			s.linkEvents = []int64{1, 100, linkEvents}[r.IntN(3)]
			return s
		}
		s := open()
		model := map[string]map[string]ingest.Event{"a": {}, "b": {}}
		gone := map[string]map[string]bool{"a": {}, "b": {}}
		next := 0
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 400 {
			project := []string{"a", "b"}[r.IntN(2)]
			have, dead := model[project], gone[project]
			switch r.IntN(12) {
			case 0, 1, 2, 3, 4, 5, 6:
				from := max(0, next-r.IntN(5))
				list := events(from, from+[]int{1, 1, 1, 2, 40, 300}[r.IntN(6)])
				for i := range list {
					list[i].User = fmt.Sprint("user-", r.IntN(4))
				}
				next = max(next, from+len(list))
				must(s.Append(t.Context(), project, list))
				for _, e := range list {
					if _, known := have[e.ID]; !known {
						have[e.ID] = e
					}
				}
			case 7, 8:
				_, err := s.Upkeep.Merge(t.Context(), 1<<60)
				must(err)
			case 9: // retention
				before := event(r.IntN(next + 1)).Time
				for {
					more, err := s.Upkeep.Expire(t.Context(), project, before, 1<<60, nil, func(_ *store.Tx, c *ingest.Columns) error {
						for i := range c.N {
							if c.Time[i] >= before {
								t.Errorf("an event of after the end of retention goes")
							}
						}
						return nil
					})
					must(err)
					if !more {
						break
					}
				}
				left := numbered(t, s, ingest.Query{Project: project})
				kept := map[string]bool{}
				for _, e := range left {
					kept[e.ID] = true
				}
				for id, e := range have {
					if !kept[id] && e.Time >= before {
						t.Fatalf("%s went before its time", id)
					}
					if !kept[id] {
						delete(have, id)
						dead[id] = true
					}
				}
			case 10: // erasure
				session, user := fmt.Sprint("session-", r.IntN(7)), ""
				if r.IntN(2) == 0 {
					user = fmt.Sprint("user-", r.IntN(4))
				}
				n := 0
				for id, e := range have {
					if e.Session == session || e.User == user {
						n++
						delete(have, id)
					}
				}
				must(w.Write(t.Context(), func(tx *store.Tx) error { return s.Upkeep.Erase(tx, project, []string{session}, user, n) }))
				if r.IntN(2) == 0 {
					_, err := s.Upkeep.FinishErasures(t.Context())
					must(err)
				}
			case 11:
				s.Close()
				s = open()
			}
			if r.IntN(10) == 0 {
				check(t, s, w, model)
			}
		}
		for more := true; more; {
			var err error
			more, err = s.Upkeep.FinishErasures(t.Context())
			must(err)
		}
		mergeAll(t, s)
		check(t, s, w, model)
		s.Close()
	})
}

func check(t *testing.T, s *Store, w *store.World, model map[string]map[string]ingest.Event) {
	t.Helper()
	var sum, count int64
	for project, have := range model {
		got := all(t, s, ingest.Query{Project: project})
		if len(got) != len(have) {
			t.Fatalf("%s: %d events, want %d", project, len(got), len(have))
		}
		for id, e := range have {
			if !reflect.DeepEqual(got[id], e) {
				t.Fatalf("%s: %+v, want %+v", project, got[id], e)
			}
		}
		sum += int64(len(have))
		for n := range 7 {
			session := fmt.Sprint("session-", n)
			found := all(t, s, ingest.Query{Project: project, Sessions: []string{session}})
			for id, e := range have {
				if _, ok := found[id]; e.Session == session && !ok {
					t.Fatalf("%s: %s is not among its session", project, id)
				}
			}
		}
	}
	err := w.Read(context.Background(), func(tx *store.Tx) (err error) {
		count, err = s.CountIn(tx)
		return err
	})
	if err != nil || count != sum {
		t.Fatalf("%d events are counted, want %d, %v", count, sum, err)
	}
}
