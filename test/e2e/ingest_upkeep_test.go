package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"
	"time"

	"understudy/test/server"
)

// Killed again and again while blocks are merged, sessions erased and old events
// removed, the program loses no event that was acknowledged, keeps none that was
// erased, and has none twice.
func TestKilledUnderMaintenanceLosesAndDoublesNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killUnderMaintenance(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killUnderMaintenance(t, "--database", server.Postgres(t))
	})
}

func killUnderMaintenance(t *testing.T, flags ...string) {
	o := server.Options{Dir: t.TempDir(), Args: flags}
	const rounds, sessions, each = 4, 4, 60
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	kept := map[string]bool{}
	session := func(round, n int) string { return fmt.Sprintf("aaaaaaaa-%04x-4000-8000-%012x", round, n) }
	for round := range rounds {
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		if status, err := askIngest(c.Ingest, http.MethodPut, "retention", map[string]any{"days": nil}); err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
		for i := range each { // one by one, over all sessions; the first events are older than the retention that follows
			for n := range sessions {
				event := map[string]any{"event_id": fmt.Sprintf("bbbbbbbb-%04x-4000-8%03x-%012x", round, n, i), "session_id": session(round, n),
					"primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": i}
				if i < 10 {
					event["timestamp"] = time.Now().Add(-40 * 24 * time.Hour).UnixMilli()
				}
				if status, err := askIngest(c.Ingest, http.MethodPost, "capture-event", event); err != nil || status != http.StatusOK {
					t.Fatal(status, err)
				}
				if i >= 10 && n != 1 {
					kept[event["event_id"].(string)] = true
				}
			}
		}
		if status, err := askIngest(c.Ingest, http.MethodPut, "retention", map[string]any{"days": 30}); err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
		if status, err := askIngest(c.Ingest, http.MethodDelete, "sessions/"+session(round, 1), nil); err != nil || status != http.StatusAccepted {
			t.Fatal(status, err)
		}
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) // maintenance begins after half a second
		s.Kill()
	}
	_, c := server.Open(t, o)
	for began := time.Now(); ; time.Sleep(300 * time.Millisecond) {
		found, tools := listEvents(t, c.Ingest)
		wrong := ""
		for id := range kept {
			if found[id] != 1 {
				wrong = fmt.Sprintf("event %s is there %d times", id, found[id])
				if found[id] == 0 {
					t.Fatal(wrong) // it never comes back
				}
			}
		}
		if len(found) != len(kept) {
			wrong = fmt.Sprintf("%d events, want %d", len(found), len(kept))
		}
		if tools != len(found) {
			wrong += fmt.Sprintf("; the roll-ups count %d", tools)
		}
		if wrong == "" {
			return
		}
		if time.Since(began) > 60*time.Second { // what is old, or erased, goes from the disk within a minute
			t.Fatal(wrong)
		}
	}
}

// listEvents returns how often each event is listed, and how many the roll-ups count.
func listEvents(t *testing.T, c server.Ingest) (found map[string]int, counted int) {
	t.Helper()
	found = map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Events []struct {
				ID string `json:"event_id"`
			} `json:"events"`
			Next string `json:"next_cursor"`
		}
		readIngest(t, c, "events?limit=1000&cursor="+url.QueryEscape(cursor), &page)
		for _, e := range page.Events {
			found[e.ID]++
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	var tools struct{ Tools []struct{ Count int } }
	readIngest(t, c, "tools", &tools)
	for _, one := range tools.Tools {
		counted += one.Count
	}
	return found, counted
}

// askIngest sends one request and returns the status of the reply.
func askIngest(c server.Ingest, method, path string, body any) (int, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequest(method, c.BaseURL+"/api/v1/"+path, bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-api-key", c.APIKey)
	reply, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = reply.Body.Close() }()
	_, err = io.Copy(io.Discard, reply.Body)
	return reply.StatusCode, err
}
