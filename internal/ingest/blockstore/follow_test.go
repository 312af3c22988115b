package blockstore

import (
	"strings"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/ingest/words"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Those who follow the events ask for the new ones several times a second: what
// was there before is not read for it.
func TestFollowingReadsNewBlocksAlone(t *testing.T) {
	db, err := storetest.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w, err := db.Open(t.Context(), "follow_now", schemas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	s := open(t, w)
	defer s.Close()
	for i := range 20 {
		if err := s.Append(t.Context(), "p", events(i*70, i*70+70)); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []ingest.Query{{After: 700}, {Project: "p", After: 700}} {
		if got := len(numbered(t, s, q)); got != 700 {
			t.Errorf("%+v: %d events", q, got)
		}
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			parts, err := selectionsOf(tx, q)
			for _, part := range parts {
				if err != nil {
					break
				}
				err = tx.Each(`EXPLAIN QUERY PLAN SELECT b.seq, b.columns FROM event_block b`+part.where+part.order, part.args, func(r store.Row) error {
					var id, parent, unused int64
					var step string
					err := r.Scan(&id, &parent, &unused, &step)
					if strings.HasPrefix(step, "SCAN") {
						t.Errorf("%+v: %s reads all blocks: %s", q, part.where+part.order, step)
					}
					return err
				})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// One list of blocks yields the merges of many steps.
func TestMergesArePlannedTogether(t *testing.T) {
	var list []stored
	for i := range 40 {
		list = append(list, stored{first: int64(1 + i*100), events: []int{100, 100, 100, 1000}[i%4], bytes: 1000})
	}
	windows, done := choose(list)
	if len(windows) != 10 || len(windows[9]) != 3 || done != list[39].first {
		t.Errorf("%d windows, looked at up to %d", len(windows), done)
	}
}

// A writer without pauses does a part of the index's work, so that a search
// afterwards waits for a bounded part of it.
func TestThoseWhoWriteManyHelpTheIndex(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	s := open(t, w)
	defer s.Close()
	s.index.follower.Close() // nothing is indexed in the background
	const most = 20_000
	s.index.follower.MostBehind = most
	for at := 0; at < 3*most; at += 500 {
		if err := s.Append(t.Context(), "p", events(at, at+500)); err != nil {
			t.Fatal(err)
		}
	}
	last, err := s.Last(t.Context())
	if behind := last - s.index.tail.last; err != nil || behind > most+500 || behind == 0 {
		t.Errorf("%d events wait for the index, at most %d may, %v", behind, most, err)
	}
	found, err := s.index.find(t.Context(), terms{{words.Of("args")}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range found {
		n += int(r.rows.count())
	}
	if n != 3*most {
		t.Errorf("%d events are found of %d", n, 3*most)
	}
}
