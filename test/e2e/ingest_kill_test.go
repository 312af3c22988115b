package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/server"
)

// Every acknowledged event is there after a kill, and none is there twice,
// also when its sender, who has no reply, sends it again.
func TestKilledUnderIngestionLosesAndDoublesNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killUnderIngestion(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killUnderIngestion(t, "--database", server.Postgres(t))
	})
}

func killUnderIngestion(t *testing.T, flags ...string) {
	o := server.Options{Dir: t.TempDir(), Args: flags}
	const rounds = 3
	acknowledged := map[string]bool{}
	var again [][]string // batches whose reply was lost
	for round := range rounds {
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		for _, ids := range again {
			if err := sendEvents(c.Ingest, ids); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				acknowledged[id] = true
			}
		}
		again = nil
		var mu sync.Mutex
		var wg sync.WaitGroup
		var dead atomic.Bool
		for writer, size := range []int{1, 1, 1, 1, 1, 1, 20, 200, 500} {
			wg.Go(func() {
				for n := 0; !dead.Load(); n++ {
					ids := make([]string, size)
					for i := range ids {
						ids[i] = fmt.Sprintf("%08x-%04x-4000-8000-%012x", round+1, writer+1, n*size+i)
					}
					err := sendEvents(c.Ingest, ids)
					mu.Lock()
					if err != nil {
						again = append(again, ids)
					} else {
						for _, id := range ids {
							acknowledged[id] = true
						}
					}
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(250+100*round) * time.Millisecond)
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
			mu.Lock()
			enough := len(acknowledged) >= 700*(round+1) // a busy machine takes longer
			mu.Unlock()
			if enough {
				break
			}
		}
		s.Kill()
		dead.Store(true)
		wg.Wait()
	}
	if len(acknowledged) < 2000 {
		t.Fatalf("only %d events were acknowledged: the load was none", len(acknowledged))
	}
	_, c := server.Open(t, o)
	for _, ids := range again {
		if err := sendEvents(c.Ingest, ids); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			acknowledged[id] = true
		}
	}
	found := map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Events []struct {
				ID string `json:"event_id"`
			} `json:"events"`
			Next string `json:"next_cursor"`
		}
		readIngest(t, c.Ingest, "events?limit=1000&cursor="+url.QueryEscape(cursor), &page)
		for _, e := range page.Events {
			found[e.ID]++
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for id := range acknowledged {
		if found[id] != 1 {
			t.Fatalf("acknowledged event %s is there %d times", id, found[id])
		}
	}
	var tools struct{ Tools []struct{ Count int } }
	readIngest(t, c.Ingest, "tools", &tools)
	if len(tools.Tools) != 1 || tools.Tools[0].Count != len(found) {
		t.Errorf("the roll-ups count %+v, the events are %d", tools.Tools, len(found))
	}
}

func sendEvents(c server.Ingest, ids []string) error {
	rows := make([]map[string]any, len(ids))
	for i, id := range ids {
		rows[i] = map[string]any{"event_id": id, "session_id": "aaaaaaaa-0000-4000-8000-000000000001",
			"primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": i}
	}
	path, body := "/api/v1/capture-events", any(map[string]any{"events": rows})
	if len(ids) == 1 {
		path, body = "/api/v1/capture-event", rows[0]
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, c.BaseURL+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-api-key", c.APIKey)
	reply, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode/100 != 2 || bytes.Contains(text, []byte(`"rejected":`)) && !bytes.Contains(text, []byte(`"rejected":0`)) {
		return fmt.Errorf("status %d: %.200s", reply.StatusCode, text)
	}
	return nil
}

func readIngest(t *testing.T, c server.Ingest, path string, into any) {
	t.Helper()
	r, _ := http.NewRequest(http.MethodGet, c.BaseURL+"/api/v1/"+path, nil)
	r.Header.Set("x-api-key", c.APIKey)
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	if err := json.NewDecoder(reply.Body).Decode(into); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, reply.StatusCode, err)
	}
}
