package app_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// What came of a run outlives its fork, its world and the program; nothing of it
// stands in a diff.
func TestVerdictsOfRunsOutliveTheirForks(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.MigratedURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url, dir := database(t), t.TempDir()
			start := func(t *testing.T) plane {
				return planeOf(t, apptest.Start(t, func(o *config.Serve) { o.Database, o.Data = url, dir }))
			}
			t.Run("reported", func(t *testing.T) { reportVerdicts(t, start(t)) })
			t.Run("after a restart", func(t *testing.T) {
				p := start(t)
				whole := p.verdictAt("GET", "/1", 200)
				if at(whole, "verdict", "checks").([]any)[0].(object)["message"] != "no message matched" || whole["answer"] != "SUP-10 by [redacted]" || at(whole, "world", "name") != "the exam" {
					t.Errorf("one verdict: %v", whole)
				}
				p.verdictAt("DELETE", "/1", 204)
				p.verdictAt("GET", "/1", 404)
				p.verdictAt("DELETE", "/1", 404)
			})
		})
	}
}

// verdictAt calls a route below /admin/v1/verdicts.
func (p plane) verdictAt(method, path string, want int) object {
	p.T.Helper()
	status, reply := p.Server.Call(method, "/admin/v1/verdicts"+path, p.Key, nil)
	if status != want {
		p.T.Fatalf("%s verdicts%s answers %d %v, want %d", method, path, status, reply, want)
	}
	return reply
}

// states returns the verdicts of a list as "task/run state" and its cursor.
func states(list object) (out string, next string) {
	for _, v := range list["verdicts"].([]any) {
		out += fmt.Sprint(" ", at(v, "task"), "/", at(v, "run"), " ", at(v, "state"))
	}
	return strings.TrimSpace(out), list["next_cursor"].(string)
}

func reportVerdicts(t *testing.T, p plane) {
	p.Call("POST", "", object{"id": "exam", "name": "the exam"}, 201)
	fork := p.world(p.Call("POST", "/exam/fork", object{"ephemeral": true}, 201))
	graded := p.Call("POST", "/"+fork.ID+"/verdict", object{"expect": []any{object{"inserted": "messaging.message", "where": object{"plain": "SUP-10"}}}}, 200)
	before := fmt.Sprint(p.Call("GET", "/"+fork.ID+"/diff", nil, 200))
	check := graded["checks"].([]any)[0].(object)
	if check["passed"] != false {
		t.Fatalf("the verdict is %v", graded)
	}
	check["message"] = "no message matched"
	first := p.Call("POST", "/"+fork.ID+"/verdicts", object{"task": "triage", "run": 1, "series": "monday", "state": "failed", "score": 0, "seconds": 1.5, "requests": 3,
		"exit": 0, "seed": 7, "answer": "SUP-10 by xoxb-123456789012-abcdef", "output": "the token is xoxb-123456789012-abcdef", "verdict": graded}, 201)
	p.Call("POST", "/exam/verdicts", object{"task": "hello", "run": 2, "state": "passed", "score": 1}, 201)
	p.Call("POST", "/default/verdicts", object{"task": "other", "state": "error", "reason": "no such program"}, 201)
	if after := fmt.Sprint(p.Call("GET", "/"+fork.ID+"/diff", nil, 200)); after != before {
		t.Errorf("a verdict that is stored is in the diff: %s", after)
	}
	p.Call("DELETE", "/"+fork.ID, nil, 204)

	for query, want := range map[string]string{
		"":                    "other/0 error hello/2 passed triage/1 failed",
		"?environment=exam":   "hello/2 passed triage/1 failed",
		"?series=monday":      "triage/1 failed",
		"?task=hello":         "hello/2 passed",
		"?state=error":        "other/0 error",
		"?limit=2":            "other/0 error hello/2 passed",
		"?environment=no-one": "",
	} {
		got, _ := states(p.verdictAt("GET", query, 200))
		if got != want {
			t.Errorf("verdicts%s: %q, want %q", query, got, want)
		}
	}
	_, next := states(p.verdictAt("GET", "?limit=2", 200))
	if got, end := states(p.verdictAt("GET", "?limit=2&cursor="+next, 200)); got != "triage/1 failed" || end != "" {
		t.Errorf("the second page: %q, cursor %q", got, end)
	}
	if got, _ := states(p.Call("GET", "/exam/verdicts?state=failed", nil, 200)); got != "triage/1 failed" {
		t.Errorf("verdicts of the world: %q", got)
	}
	whole := p.verdictAt("GET", "/"+first["id"].(string), 200)
	if at(whole, "checks", "failed") != 1.0 || at(whole, "checks", "passed") != 0.0 || whole["environment"] != fork.ID || at(whole, "world", "id") != "exam" ||
		strings.Contains(fmt.Sprint(whole["output"], whole["answer"]), "xoxb-") || whole["seed"] != 7.0 || whole["kept"] != false {
		t.Errorf("one verdict: %v", whole)
	}
	p.Call("DELETE", "/exam", nil, 204)
	p.Call("GET", "/exam/verdicts", nil, 404)
	if got, _ := states(p.verdictAt("GET", "?environment=exam", 200)); got != "hello/2 passed triage/1 failed" {
		t.Errorf("verdicts of a world that is gone: %q", got)
	}

	for what, body := range map[string]object{
		"task": {"state": "passed"}, "state": {"task": "a", "state": "odd"}, "score": {"task": "a", "state": "passed", "score": 2},
		"run": {"task": "a", "state": "passed", "run": -1}, "series": {"task": "a", "state": "passed", "series": strings.Repeat("x", 201)},
		"answer": {"task": "a", "state": "passed", "answer": strings.Repeat("x", 65_537)}, "verdict.odd": {"task": "a", "state": "passed", "verdict": object{"odd": 1}},
	} {
		reply := p.Call("POST", "/default/verdicts", body, 400)
		if text := fmt.Sprint(reply); !strings.Contains(text, what) {
			t.Errorf("a bad %s: %v", what, reply)
		}
	}
	for _, id := range []string{"0", "-1", "x", "9223372036854775807", "99999999999999999999", "%00"} {
		if status, _ := p.Server.Call("GET", "/admin/v1/verdicts/"+id, p.Key, nil); status != 404 && status != 400 {
			t.Errorf("the verdict %s answers %d", id, status)
		}
	}
	p.verdictAt("GET", "?task=%00", 400)
	p.verdictAt("GET", "?limit=0", 400)
}
