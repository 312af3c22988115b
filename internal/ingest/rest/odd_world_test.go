package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oddEvent is an event as a test sent it.
type oddEvent struct {
	id, session, user, name, kind, model, customer, parent, region, text string
	success                                                              bool
	latency, at, input                                                   int64
	mark                                                                 bool // has the checkpoint "db"
}

// oddWorld contains everything that a test sent, for comparison with replies.
type oddWorld struct {
	events   []oddEvent
	sessions map[string][2]string // user and client
	plans    map[string]string    // of users, in the form of a filter
}

var (
	oddNames     = []string{"search", "a/b c", "x%25y", `"quoted"`, "Ünï&=+", "日本 tool", "search me"}
	oddCustomers = []string{"acme", "ac,me", "0", "null", "a'b;--"}
	oddWords     = []string{"refund", "Äpfel", "4711", "x_y", "naïve", "OR", "NULL"}
	oddRegions   = []string{`"eu"`, `"us west"`, `7`, `true`, `"7"`}
)

// owner returns the user of an event, or of its session if the event has none.
func (w *oddWorld) owner(e *oddEvent) string {
	if e.user != "" {
		return e.user
	}
	return w.sessions[e.session][0]
}

func newOddWorld(t *testing.T, a agentEvents, r *rand.Rand, n int) *oddWorld {
	w := &oddWorld{sessions: map[string][2]string{}, plans: map[string]string{"ada": "pro", "bob@x.org": "3", "ünï %": "true"}}
	one := func(list []string) string { return list[r.IntN(len(list))] }
	base := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC).UnixMilli() // in Berlin, clocks go back on the 25th
	plans := map[string]any{"ada": "pro", "bob@x.org": 3, "ünï %": true}
	users := slices.Sorted(maps.Keys(plans))
	for i := range 9 {
		id := fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", i)
		user, client := one(users), one([]string{"web", "ios 17", "a&b=c"})
		a.call("POST", "/capture-session", map[string]any{"session_id": id, "user_data": map[string]any{"user_id": user, "plan": plans[user]},
			"client_config": client, "timestamp": base}, 200)
		w.sessions[id] = [2]string{user, client}
	}
	var rows []map[string]any
	for i := range n {
		e := oddEvent{id: fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", i), session: fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", r.IntN(9)),
			name: one(oddNames), kind: one([]string{"tool", "agent", "model", "step", "tool"}), model: one([]string{"", "m-1", "m/2"}), customer: one(append(oddCustomers, "")),
			region: one(oddRegions), text: one(oddWords) + "," + one(oddWords), success: r.IntN(3) > 0, latency: r.Int64N(900), at: base + r.Int64N(10*24*3600*1000),
			input: r.Int64N(50), mark: r.IntN(3) == 0}
		if r.IntN(4) == 0 {
			e.user = one(users)
		}
		row := map[string]any{"event_id": e.id, "session_id": e.session, "primitive_name": e.name, "primitive_type": e.kind, "args": e.text,
			"success": e.success, "latency": e.latency, "timestamp": e.at, "input_tokens": e.input, "metadata": map[string]any{"region": json.RawMessage(e.region)}}
		if !e.success {
			row["result"] = fmt.Sprintf("order %d failed", i)
		}
		if e.mark {
			row["metadata"].(map[string]any)["checkpoint.db"] = e.latency / 2
		}
		for name, v := range map[string]string{"model": e.model, "customer_id": e.customer, "user_id": e.user} {
			if v != "" {
				row[name] = v
			}
		}
		for _, o := range w.events {
			if o.session == e.session && r.IntN(20) == 0 {
				e.parent = o.id
				row["parent_id"] = o.id
				break
			}
		}
		w.events, rows = append(w.events, e), append(rows, row)
	}
	for part := range slices.Chunk(rows, 120) {
		if reply := a.call("POST", "/capture-events", map[string]any{"events": part}, 202); reply["rejected"] != 0.0 {
			t.Fatal(reply)
		}
	}
	return w
}

// wordsOf splits a text like the index, for scripts with blanks between words.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !strings.ContainsRune("äöüïßabcdefghijklmnopqrstuvwxyz0123456789日本", r)
	})
}

// passes reports whether an event matches filters. It defines their meaning.
func (w *oddWorld) passes(e *oddEvent, q url.Values) bool {
	either := func(name, have string) bool {
		given := slices.DeleteFunc(slices.Clone(q[name]), func(v string) bool { return v == "" })
		return len(given) == 0 || slices.Contains(given, have)
	}
	region := strings.Trim(e.region, `"`)
	ok := either("tool", e.name) && either("name", e.name) && either("type", e.kind) && either("model", e.model) && either("customer_id", e.customer) &&
		either("user_id", w.owner(e)) && either("session_id", e.session) && either("client_config", w.sessions[e.session][1]) &&
		either("success", strconv.FormatBool(e.success)) && either("metadata.region", region) && either("trait.plan", w.plans[w.owner(e)]) &&
		(q.Get("errors") != "true" || !e.success)
	if least, err := strconv.ParseInt(q.Get("min_latency"), 10, 64); err == nil {
		ok = ok && e.latency >= least
	}
	if from, err := strconv.ParseInt(q.Get("from"), 10, 64); err == nil {
		ok = ok && e.at >= from
	}
	if to, err := time.Parse(time.RFC3339, q.Get("to")); err == nil {
		ok = ok && e.at < to.UnixMilli()
	}
	found := len(q["q"]) == 0
	have := wordsOf(e.name + " " + e.text)
	if !e.success {
		have = append(have, "order", "failed")
	}
	for _, text := range q["q"] {
		all := true
		for _, word := range wordsOf(text) {
			all = all && slices.Contains(have, word)
		}
		found = found || all
	}
	return ok && found
}

func oddFilter(r *rand.Rand) url.Values {
	q := url.Values{}
	pool := map[string][]string{"tool": append(oddNames, "none"), "name": oddNames, "type": {"tool", "agent", "model", "TOOL"}, "model": {"m-1", "m/2", "m"}, "customer_id": append(oddCustomers, "Acme"),
		"user_id": {"ada", "bob@x.org", "ünï %", "nobody"}, "session_id": {"aaaaaaaa-0000-4000-8000-000000000003", "aaaaaaaa-0000-4000-8000-000000000008", "x"},
		"client_config": {"web", "ios 17", "a&b=c"}, "success": {"true", "false"}, "metadata.region": {"eu", "us west", "7", "true"}, "trait.plan": {"pro", "3", "true", "no"},
		"q": {"refund", "äpfel", "4711 x", "failed", "order 4711", "or", "null naïve", "tool", "quoted"}, "min_latency": {"0", "450", "899"}, "errors": {"true", "false"},
		"from": {"1792800000000", "1793000000000", "0"}, "to": {"2026-10-27T02:30:00+01:00", "2026-10-25T02:30:00Z"}}
	names := slices.Sorted(maps.Keys(pool))
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		values := pool[name]
		q[name] = []string{values[r.IntN(len(values))]}
		if r.IntN(3) == 0 && !slices.Contains([]string{"from", "to", "min_latency", "errors"}, name) {
			q.Add(name, values[r.IntN(len(values))])
		}
		if r.IntN(6) == 0 && !slices.Contains([]string{"from", "to", "q", "metadata.region", "trait.plan"}, name) {
			q.Add(name, "") // counts as missing
		}
	}
	return q
}
