package blockstore

import (
	"strings"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Many runs of keys become few, and every key is still found, also when the
// merge is interrupted and begun anew after a restart.
func TestRunsOfKeysAreMerged(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	s := open(t, w)
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := s.keys.(*keyRuns)
	const each, runs = 5000, 13
	hash := func(n int) uint64 { return uint64(n+1) * 0x9e3779b97f4a7c15 }
	for r := range runs {
		keys := map[uint64]int64{}
		for i := range each {
			keys[hash(r*each+i)] = int64(r*each + i + 1)
		}
		run, err := k.writeRun(keys, int64((r+1)*each+1))
		if err != nil {
			t.Fatal(err)
		}
		k.runs = append(k.runs, run)
	}
	if more, err := k.merge(t.Context()); err != nil || !more {
		t.Fatal(more, err)
	}
	s.Close()
	s = open(t, w)
	defer s.Close()
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k = s.keys.(*keyRuns)
	for {
		more, err := s.Upkeep.MergeKeys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
	}
	if len(k.runs) > 6 {
		t.Errorf("%d runs remain", len(k.runs))
	}
	var keys int64
	for _, r := range k.runs {
		keys += r.keys
	}
	if keys != each*runs {
		t.Errorf("%d keys, want %d", keys, each*runs)
	}
	err := w.Read(t.Context(), func(tx *store.Tx) error {
		for n := 0; n < each*runs; n += 97 {
			found, err := k.find(tx, []uint64{hash(n)})
			if err != nil {
				return err
			}
			if list := found[hash(n)]; len(list) != 1 || list[0] != int64(n+1) {
				t.Fatalf("key %d: %v", n, list)
			}
		}
		var pages, used int64
		if _, err := tx.Get(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN upto IN (SELECT CASE pages WHEN 0 THEN upto ELSE pages END FROM event_key_run) THEN 1 ELSE 0 END), 0)
			FROM event_key_page`, nil, &pages, &used); err != nil {
			return err
		}
		if pages != used {
			t.Errorf("%d of %d pages belong to no run", pages-used, pages)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The filters of a hundred million events are few, and small beside the keys.
func TestFiltersOfManyKeysStaySmall(t *testing.T) {
	var runs []keyRun
	k := &keyRuns{}
	for range 100_000_000 / runKeys {
		k.runs = append(runs, keyRun{upto: int64(len(runs)), keys: runKeys})
		for chosen := k.chooseRuns(); chosen != nil; chosen = k.chooseRuns() {
			by := keyRun{upto: chosen[len(chosen)-1].upto}
			for _, r := range chosen {
				by.keys += r.keys
			}
			k.replace(chosen, by)
		}
		runs = k.runs
		for i := range runs {
			runs[i].upto = int64(i)
		}
	}
	bytes := 0
	for _, r := range runs {
		bytes += len(newFilter(int(r.keys)))
	}
	t.Logf("%d runs, %d MB", len(runs), bytes>>20)
	if len(runs) > 16 || bytes > 160<<20 {
		t.Errorf("%d runs, %d MB", len(runs), bytes>>20)
	}
}

// The index of words, checkpoints and messages forgets what is erased.
func TestTheIndexForgetsWhatIsErased(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		var list []ingest.Event
		for n := range fullRows + 2000 {
			e := event(n)
			e.Success, e.Result, e.Args = n%3 != 0, "", "plain"
			if e.Session == "session-2" {
				e.Result = "the wombat has left"
			}
			list = append(list, e)
			if len(list) == 2000 {
				if err := s.Append(t.Context(), "p", list); err != nil {
					t.Fatal(err)
				}
				list = nil
			}
		}
		if err := s.index.catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		fails := func() (runs int, found bool) {
			err := w.Read(t.Context(), func(tx *store.Tx) error {
				return tx.Each(`SELECT fails FROM event_run`, nil, func(r store.Row) error {
					var b []byte
					if err := r.Scan(&b); err != nil {
						return err
					}
					runs++
					f, err := decodeFails(b)
					for _, text := range f.texts {
						found = found || strings.Contains(text, "wombat")
					}
					return err
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			return runs, found
		}
		if runs, found := fails(); runs == 0 || !found {
			t.Fatalf("%d runs, found: %v", runs, found)
		}
		n := len(all(t, s, ingest.Query{Project: "p"}))
		gone := 0
		for _, e := range all(t, s, ingest.Query{Project: "p", Sessions: []string{"session-2"}}) {
			if e.Session == "session-2" {
				gone++
			}
		}
		err := w.Write(t.Context(), func(tx *store.Tx) error { return s.Upkeep.Erase(tx, "p", []string{"session-2"}, "", gone) })
		for more := true; err == nil && more; {
			more, err = s.Upkeep.FinishErasures(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if runs, found := fails(); runs == 0 || found {
			t.Errorf("afterwards: %d runs, found: %v", runs, found)
		}
		page, err := s.List(t.Context(), ingest.List{Match: ingest.Match{Project: "p", Texts: []string{"plain"}}, Limit: 5})
		if err != nil || len(page.Events) != 5 {
			t.Errorf("words of others: %d events, %v", len(page.Events), err)
		}
		if left := len(all(t, s, ingest.Query{Project: "p"})); left != n-gone {
			t.Errorf("%d events are left, want %d", left, n-gone)
		}
	})
}
