package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// Every route with filters returns the same result as a pass over all events,
// whatever characters names and values contain.
func TestOddFiltersAreAnsweredAsByALookAtAllEvents(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		a := agentEventsOf(p, p.Call("POST", "", map[string]any{"clock": "2026-11-23T12:00:00Z"}, 201))
		r := rand.New(rand.NewPCG(19, 6))
		w := newOddWorld(t, a, r, 600)
		for n := range 40 {
			q := oddFilter(r)
			var want []oddEvent
			for i := range w.events {
				if w.passes(&w.events[i], q) {
					want = append(want, w.events[i])
				}
			}
			c := oddCheck{a: a, w: w, q: q, want: want, name: fmt.Sprintf("filter %d %s", n, q.Encode())}
			c.lists(t)
			c.totals(t)
			c.series(t, r)
			c.spread(t)
			c.facets(t)
			c.tree(t)
		}
	})
}

type oddCheck struct {
	a    agentEvents
	w    *oddWorld
	q    url.Values
	want []oddEvent
	name string
}

func (c *oddCheck) get(path string, more ...string) map[string]any {
	c.a.p.T.Helper()
	q := maps.Clone(c.q)
	for i := 0; i < len(more); i += 2 {
		q[more[i]] = []string{more[i+1]}
	}
	return c.a.call("GET", path+"?"+q.Encode(), nil, 200)
}

// same fails the test unless two maps of counts are equal.
func (c *oddCheck) same(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	maps.DeleteFunc(got, func(_ string, n int64) bool { return n == 0 })
	maps.DeleteFunc(want, func(_ string, n int64) bool { return n == 0 })
	if !maps.Equal(got, want) {
		t.Errorf("%s: %s is %v, want %v", c.name, what, got, want)
	}
}

// count counts the events that pass, by a key.
func (c *oddCheck) count(key func(e *oddEvent) string) map[string]int64 {
	out := map[string]int64{}
	for i := range c.want {
		if k := key(&c.want[i]); k != "" {
			out[k]++
		}
	}
	return out
}

func integer(v any, path ...any) int64 { n, _ := apptest.Get(v, path...).(float64); return int64(n) }

func (c *oddCheck) lists(t *testing.T) {
	t.Helper()
	want := c.count(func(e *oddEvent) string { return e.id })
	got := map[string]int64{}
	for cursor := ""; ; {
		page := c.get("/events", "limit", "70", "view", "summary", "cursor", cursor)
		for _, e := range page["events"].([]any) {
			got[apptest.Get(e, "event_id").(string)]++
		}
		if cursor, _ = page["next_cursor"].(string); cursor == "" {
			break
		}
	}
	c.same(t, "/events", got, maps.Clone(want))
	got = map[string]int64{}
	for _, line := range strings.Split(strings.TrimSpace(c.export(t, "ndjson")), "\n") {
		var e struct {
			ID string `json:"event_id"`
		}
		if line != "" && json.Unmarshal([]byte(line), &e) == nil {
			got[e.ID]++
		}
	}
	c.same(t, "/export", got, maps.Clone(want))
	got = map[string]int64{}
	rows, err := csv.NewReader(strings.NewReader(c.export(t, "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		got[row[0]]++
	}
	c.same(t, "/export in CSV", got, maps.Clone(want))
}

func (c *oddCheck) export(t *testing.T, format string) string {
	t.Helper()
	q := maps.Clone(c.q)
	q.Set("format", format)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.a.base+"/export?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", c.a.key)
	reply, err := c.a.p.Server.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	var b strings.Builder
	buffer := make([]byte, 64<<10)
	for {
		n, err := reply.Body.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	if reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: export answers %d %s", c.name, reply.StatusCode, b.String())
	}
	return b.String()
}

func isTurn(e *oddEvent) bool { return e.parent == "" && e.kind == "agent" }

func (c *oddCheck) totals(t *testing.T) {
	t.Helper()
	for _, row := range []struct {
		path, list, key string
		of              func(e *oddEvent) string
	}{
		{"/tools", "tools", "tool", func(e *oddEvent) string {
			if e.kind == "tool" {
				return e.name
			}
			return ""
		}},
		{"/agents", "agents", "agent", func(e *oddEvent) string {
			if isTurn(e) {
				return e.name
			}
			return ""
		}},
		{"/models", "models", "model", func(e *oddEvent) string { return e.model }},
		{"/customers", "customers", "customer_id", func(e *oddEvent) string { return e.customer }},
	} {
		counts, failed, tokens := map[string]int64{}, map[string]int64{}, map[string]int64{}
		for _, one := range c.get(row.path)[row.list].([]any) {
			key := apptest.Get(one, row.key).(string)
			counts[key], failed[key], tokens[key] = integer(one, "count"), integer(one, "errors"), integer(one, "input_tokens")
		}
		c.same(t, row.path, counts, c.count(row.of))
		c.same(t, row.path+" errors", failed, c.count(func(e *oddEvent) string {
			if e.success {
				return ""
			}
			return row.of(e)
		}))
		want := map[string]int64{}
		for i := range c.want {
			if key := row.of(&c.want[i]); key != "" {
				want[key] += c.want[i].input
			}
		}
		c.same(t, row.path+" tokens", tokens, want)
	}
	over := c.get("/overview")
	want := map[string]int64{"events": int64(len(c.want)), "users": int64(len(c.count(c.w.owner))), "customers": int64(len(c.count(func(e *oddEvent) string { return e.customer })))}
	got := map[string]int64{}
	for name := range want {
		got[name] = integer(over, name)
	}
	for i := range c.want {
		e := &c.want[i]
		want["input_tokens"] += e.input
		if !e.success {
			want["errors"]++
		}
		if isTurn(e) {
			want["turns"]++
		} else if e.kind == "tool" {
			want["tool_calls"]++
		}
	}
	for _, name := range []string{"input_tokens", "errors", "turns", "tool_calls"} {
		got[name] = integer(over, name)
	}
	c.same(t, "/overview", got, want)
	users := map[string]int64{}
	for _, u := range c.get("/users", "sums", "true", "limit", "100")["users"].([]any) {
		users[apptest.Get(u, "user_id").(string)] = integer(u, "events")
	}
	c.same(t, "/users", users, c.count(c.w.owner))
}

// begin returns the beginning of the period that contains a time.
func begin(at int64, interval string, zone *time.Location) int64 {
	local := time.UnixMilli(at).In(zone)
	switch interval {
	case "minute":
		return at - at%60_000
	case "5m":
		return at - at%300_000
	case "hour":
		return at - at%3600_000
	case "week":
		local = local.AddDate(0, 0, -(int(local.Weekday())+6)%7)
	}
	return time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone).UnixMilli()
}

func (c *oddCheck) series(t *testing.T, r *rand.Rand) {
	t.Helper()
	interval := []string{"minute", "5m", "hour", "day", "week"}[r.IntN(5)]
	zone := "UTC"
	if interval == "day" || interval == "week" {
		zone = []string{"Europe/Berlin", "Asia/Kolkata", "America/New_York", "UTC"}[r.IntN(4)]
	}
	place, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	by := []string{"", "tool", "agent", "model", "user_id", "customer_id", "success", "trait.plan"}[r.IntN(8)]
	if interval == "minute" || interval == "5m" && by != "success" {
		by = "" // a reply contains at most 20,000 points
	}
	key := map[string]func(e *oddEvent) string{"": func(*oddEvent) string { return "" }, "tool": func(e *oddEvent) string { return e.name }, "agent": func(e *oddEvent) string { return e.name },
		"model": func(e *oddEvent) string { return e.model }, "user_id": c.w.owner, "customer_id": func(e *oddEvent) string { return e.customer },
		"success": func(e *oddEvent) string { return strconv.FormatBool(e.success) }, "trait.plan": func(e *oddEvent) string { return c.w.plans[c.w.owner(e)] }}[by]
	want, got := map[string]int64{}, map[string]int64{}
	for i := range c.want {
		e := &c.want[i]
		if by == "tool" && e.kind != "tool" || by == "agent" && !isTurn(e) {
			continue
		}
		want[fmt.Sprintf("%q at %d", key(e), begin(e.at, interval, place))]++
	}
	more := []string{"interval", interval, "tz", zone, "top", "50"}
	if by != "" {
		more = append(more, "group_by", by)
	}
	reply := c.get("/timeseries", more...)
	add := func(key string, points any) {
		list, _ := points.([]any)
		for _, one := range list {
			got[fmt.Sprintf("%q at %d", key, integer(one, "time"))] += integer(one, "count")
		}
	}
	add("", reply["points"])
	groups, _ := reply["groups"].([]any)
	for _, g := range groups {
		add(apptest.Get(g, "key").(string), apptest.Get(g, "points"))
	}
	c.same(t, strings.Join(more, " "), got, want)
}

func (c *oddCheck) spread(t *testing.T) {
	t.Helper()
	for _, tool := range oddNames {
		reply := c.get("/tools/" + url.PathEscape(tool) + "/timeline")
		want, got := map[string]int64{}, map[string]int64{"calls": integer(reply, "count")}
		for i := range c.want {
			if e := &c.want[i]; e.name == tool {
				want["calls"]++
				want["in the histogram"]++
				if e.mark {
					want["db"]++
				}
			}
		}
		for _, b := range reply["histogram"].([]any) {
			got["in the histogram"] += integer(b, "count")
		}
		for _, m := range reply["checkpoints"].([]any) {
			got[apptest.Get(m, "name").(string)] = integer(m, "count")
		}
		c.same(t, "timeline of "+tool, got, want)
	}
	want, got := map[string]int64{}, map[string]int64{}
	for i := range c.want {
		if e := &c.want[i]; !e.success {
			want[e.name]++
		}
	}
	for _, one := range c.get("/errors", "limit", "1000")["errors"].([]any) {
		got[apptest.Get(one, "tool").(string)] += integer(one, "count")
	}
	c.same(t, "/errors", got, want)
}

func (c *oddCheck) facets(t *testing.T) {
	t.Helper()
	if c.q.Has("q") || c.q.Has("name") {
		return // the route of facets uses these parameters to select facets
	}
	got := map[string]map[string]int64{}
	for _, f := range c.get("/facets", "limit", "1000")["facets"].([]any) {
		values := map[string]int64{}
		for _, v := range apptest.Get(f, "values").([]any) {
			values[apptest.Get(v, "value").(string)] = integer(v, "count")
		}
		got[apptest.Get(f, "name").(string)] = values
	}
	for name, key := range map[string]func(e *oddEvent) string{"model": func(e *oddEvent) string { return e.model }, "customer_id": func(e *oddEvent) string { return e.customer },
		"type": func(e *oddEvent) string { return e.kind }, "success": func(e *oddEvent) string { return strconv.FormatBool(e.success) }, "user_id": c.w.owner,
		"client_config": func(e *oddEvent) string { return c.w.sessions[e.session][1] }, "trait.plan": func(e *oddEvent) string { return c.w.plans[c.w.owner(e)] }} {
		if got[name] == nil {
			got[name] = map[string]int64{}
		}
		c.same(t, "facet "+name, got[name], c.count(key))
	}
}

func (c *oddCheck) tree(t *testing.T) {
	t.Helper()
	const session = "aaaaaaaa-0000-4000-8000-000000000003"
	q := maps.Clone(c.q)
	q.Del("session_id")
	reply := c.a.call("GET", "/sessions/"+session+"?"+q.Encode(), nil, 200)
	got, all := map[string]int64{}, 0
	var walk func(nodes []any)
	walk = func(nodes []any) {
		for _, n := range nodes {
			all++
			if apptest.Get(n, "matches") == true {
				got[apptest.Get(n, "event_id").(string)]++
			}
			walk(apptest.Get(n, "children").([]any))
		}
	}
	walk(reply["tree"].([]any))
	want, n := map[string]int64{}, 0
	for i := range c.w.events {
		if e := &c.w.events[i]; e.session == session {
			n++
			if c.w.passes(e, q) {
				want[e.id]++
			}
		}
	}
	if all != n {
		t.Errorf("%s: the tree has %d events, want %d", c.name, all, n)
	}
	if len(q) > 0 {
		c.same(t, "marked in the tree", got, want)
	}
}
