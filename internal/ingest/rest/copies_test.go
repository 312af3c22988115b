package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// agentEvents is an environment's ingestion, read and written over HTTP.
type agentEvents struct {
	p         apptest.Plane
	base, key string
}

func agentEventsOf(p apptest.Plane, made map[string]any) agentEvents {
	in := made["ingest"].(map[string]any)
	return agentEvents{p, in["base_url"].(string) + "/api/v1", in["api_key"].(string)}
}

func (a agentEvents) call(method, path string, body any, want int) map[string]any {
	a.p.T.Helper()
	status, reply := a.p.Server.Call(method, a.base+path, a.key, body)
	if status != want {
		a.p.T.Fatalf("%s %s answers %d %v", method, path, status, reply)
	}
	return reply
}

// A world whose clock is in 2020 accepts events with the real time: it stores the
// time that was sent, and the time of arrival on its own clock.
func TestAFrozenWorldTakesEventsOfToday(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		a := agentEventsOf(p, p.Call("POST", "", map[string]any{"clock": "2020-01-01T00:00:00Z"}, 201))
		frozen, sent := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Now().UnixMilli()
		event := func(n int, at any) map[string]any {
			return map[string]any{"event_id": fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", n), "session_id": "aaaaaaaa-0000-4000-8000-00000000000a",
				"primitive_name": "x", "primitive_type": "tool", "timestamp": at}
		}
		a.call("POST", "/capture-event", event(1, sent), 200)
		shown := a.call("GET", "/events/bbbbbbbb-0000-4000-8000-000000000001", nil, 200)["event"].(map[string]any)
		if shown["timestamp"] != float64(sent) || shown["received_at"] != float64(frozen) {
			t.Errorf("sent at %d, received at %d: %v", sent, frozen, shown)
		}
		a.call("POST", "/capture-event", event(2, sent+25*3600*1000), 400) // more than a day ahead of real time
		a.call("POST", "/capture-event", event(3, frozen), 200)
		late := agentEventsOf(p, p.Call("POST", "", map[string]any{"clock": "2040-01-01T00:00:00Z"}, 201))
		ahead := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		late.call("POST", "/capture-event", event(1, ahead), 200) // the world's own time
	})
}

// A copy contains the prices and scores of its source; later changes affect only one
// of the two.
func TestPricesAndScoresAreCopied(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{}, 201)
		id, a := made["id"].(string), agentEventsOf(p, made)
		const session = "aaaaaaaa-0000-4000-8000-00000000000a"
		price := func(a agentEvents, input int) {
			a.call("PUT", "/prices", map[string]any{"prices": []map[string]any{{"model": "m", "input_per_million": input, "output_per_million": 0, "currency": "USD"}}}, 200)
		}
		score := func(a agentEvents, value any) {
			a.call("POST", "/scores", map[string]any{"session_id": session, "name": "quality", "value": value}, 201)
		}
		shows := func(a agentEvents, prices, scores string, cost float64) {
			t.Helper()
			if got := fmt.Sprint(a.call("GET", "/prices", nil, 200)["prices"]); !strings.Contains(got, "input_per_million:"+prices) {
				t.Errorf("prices are %s, want %s", got, prices)
			}
			var values []any
			for _, s := range a.call("GET", "/scores", nil, 200)["scores"].([]any) {
				values = append(values, s.(map[string]any)["value"])
			}
			if fmt.Sprint(values) != scores {
				t.Errorf("scores are %v, want %s", values, scores)
			}
			if got := a.call("GET", "/sessions/"+session, nil, 200)["session"].(map[string]any)["cost"]; got != cost {
				t.Errorf("the session costs %v, want %v", got, cost)
			}
		}
		a.call("POST", "/capture-event", map[string]any{"event_id": "bbbbbbbb-0000-4000-8000-000000000001", "session_id": session,
			"primitive_name": "x", "primitive_type": "model", "model": "m", "input_tokens": 1_000_000}, 200)
		price(a, 2)
		score(a, 0.5)
		snapshot := p.Call("POST", "/"+id+"/snapshots", map[string]any{"name": "one"}, 201)["id"].(string)
		fork := agentEventsOf(p, p.Call("POST", "/"+id+"/fork", map[string]any{}, 201))
		shows(fork, "2", "[0.5]", 2)
		price(fork, 3)
		score(fork, "better")
		shows(fork, "3", "[better 0.5]", 3)
		shows(a, "2", "[0.5]", 2)
		price(a, 5)
		score(a, 1)
		shows(a, "5", "[1 0.5]", 5)
		p.Call("POST", "/"+id+"/restore", map[string]any{"snapshot": snapshot}, 200)
		shows(a, "2", "[0.5]", 2)
		score(a, 0)
		shows(a, "2", "[0 0.5]", 2)
	})
}
