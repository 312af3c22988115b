package app_test

import (
	"strings"
	"sync"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/sqlite"
)

// pages returns all items of a list of the admin plane. path ends with ? or &.
func (p plane) pages(path, list string) (out []any) {
	p.T.Helper()
	cursor := ""
	for {
		reply := p.Call("GET", path+"limit=200&cursor="+cursor, nil, 200)
		out = append(out, reply[list].([]any)...)
		if cursor, _ = reply["next_cursor"].(string); cursor == "" {
			return out
		}
	}
}

// Several agents and people write to all services of a world at once. Each knows
// what its own requests did; the diff, the events and the deliveries name those
// requests, and no others where they say that they are exact.
func TestCausesAgreeWithWhatTheWritersKnow(t *testing.T) {
	onPlanes(t, compareWithWriters)
}

// No statement of the same writers writes a row that is recorded and would have
// been skipped: SQLite is asked for each row here.
func TestNoRecordedRowIsSkipped(t *testing.T) {
	var mu sync.Mutex
	rows := map[string]int{}
	defer sqlite.CheckSkips(func(sql, table string, recorded bool) {
		mu.Lock()
		defer mu.Unlock()
		if rows[table]++; recorded {
			t.Errorf("a row of %s is written by %.80s", table, strings.TrimSpace(sql))
		}
	})()
	t.Run("sqlite", func(t *testing.T) {
		compareWithWriters(t, plane{apptest.PlaneOf(t, apptest.Start(t, func(*config.Serve) {}))})
	})
	for _, table := range []string{"msg_search_change", "crm_value", "tracker_search_change", "event_block"} {
		if rows[table] == 0 {
			t.Errorf("no row of %s was seen, only of %v", table, rows)
		}
	}
}

func compareWithWriters(t *testing.T, p plane) {
	o := newWitnessed()
	c := p.crowd(o)
	writers := c.writers(7)
	round := func(each int, halfway func()) {
		var all, half sync.WaitGroup
		half.Add(len(writers))
		for _, w := range writers {
			all.Go(func() {
				for i := range each {
					if w.write(); i == each/2 {
						half.Done()
					}
				}
			})
		}
		half.Wait()
		halfway()
		all.Wait()
	}
	snapshot := func() string { return p.Call("POST", "/"+c.w.ID+"/snapshots", nil, 201)["id"].(string) }
	round(8, func() {})
	first, second := snapshot(), ""
	o.begin() // what was written before is in no diff
	round(20, func() { second = snapshot() })
	round(4, func() {}) // on a slow machine all have written before the snapshot is taken
	for _, span := range []struct {
		query string
		whole bool
	}{{"from=" + first, true}, {"from=" + first + "&to=" + second, false}, {"from=" + second, false}} {
		changes, exact := 0, 0
		for list, op := range map[string]string{"inserts": "insert", "updates": "update", "deletes": "delete"} {
			for _, change := range p.pages("/"+c.w.ID+"/diff?"+span.query+"&", list) {
				o.check(t, op, change, span.whole)
				if changes++; at(change, "exact") == true {
					exact++
				}
			}
		}
		t.Logf("%s: %d changes, %d of them exact", span.query, changes, exact)
		if exact == 0 || !p.onPostgres() && exact < changes {
			t.Errorf("%s: %d of %d changes are exact", span.query, exact, changes)
		}
	}
	o.checkEvents(t, p.pages("/"+c.w.ID+"/events?", "events"))
	o.checkDeliveries(t, p, c.w.ID)
	o.checkEffects(t, p, c.w.ID)
}
