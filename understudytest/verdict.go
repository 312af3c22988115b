package understudytest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Verdict is how a world meets a document.
type Verdict struct {
	Verdict string  `json:"verdict"` // passed, failed or unknown
	Score   float64 `json:"score"`   // from 0 to 1
	Checks  []Check `json:"checks"`
}

// Check is the result of one expectation or rule.
type Check struct {
	ID       string   `json:"id"` // such as expect[0]
	Name     string   `json:"name"`
	Passed   *bool    `json:"passed"` // nil: it could not be decided
	Weight   float64  `json:"weight"`
	Gate     bool     `json:"gate"`
	Message  string   `json:"message"`
	Evidence Evidence `json:"evidence"`
}

// Evidence is what a result stands on.
type Evidence struct {
	Matched  []Change  `json:"matched"`
	Near     []Near    `json:"near"` // what came nearest
	Left     []Change  `json:"left"` // what nothing expects
	Requests []Request `json:"requests"`
}

// Change is a record that changed, and the requests that changed it.
type Change struct {
	Op      string    `json:"op"`
	Service string    `json:"service"`
	Entity  string    `json:"entity"`
	Key     string    `json:"key"`
	Cause   []Request `json:"cause"`
}

// Near is a record that did not fit, and where it differs.
type Near struct {
	Key    string `json:"key"`
	Failed []struct {
		Field  string          `json:"field"`
		Wanted json.RawMessage `json:"wanted"`
		Found  json.RawMessage `json:"found"`
	} `json:"failed"`
	Cause []Request `json:"cause"`
}

// Request is a recorded request.
type Request struct {
	Seq       int64  `json:"seq"`
	Operation string `json:"operation"`
	Status    int    `json:"status"`
}

// Verdict compares the world with a document, YAML text or a value that encodes
// as JSON, and returns what comes of it. It does not fail the test for that;
// Expect, ExpectDocument and NothingElse do.
func (w *World) Verdict(document any) (v Verdict) {
	w.t.Helper()
	w.do("POST", "/verdict", document, &v)
	return v
}

// String returns a line for each check, and the evidence of those that did not pass.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict: %s, score %v", v.Verdict, v.Score)
	for _, c := range v.Checks {
		result := "unknown"
		if c.Passed != nil {
			result = map[bool]string{true: "ok", false: "FAILED"}[*c.Passed]
		}
		line := c.ID
		for _, text := range []string{c.Name, c.Message} {
			if text != "" {
				line += ": " + text
			}
		}
		fmt.Fprintf(&b, "\n%-7s %s", result, line)
		if result != "ok" {
			for _, line := range c.Evidence.lines() {
				b.WriteString("\n        " + line)
			}
		}
	}
	return b.String()
}

func (e Evidence) lines() (out []string) {
	for _, n := range e.Near {
		differs := make([]string, len(n.Failed))
		for i, f := range n.Failed {
			differs[i] = fmt.Sprintf("%s is %s, wanted %s", f.Field, f.Found, f.Wanted)
		}
		out = append(out, "near: "+n.Key+": "+strings.Join(differs, "; ")+causes(n.Cause))
	}
	for _, c := range e.Matched {
		out = append(out, "matched: "+c.String())
	}
	for _, c := range e.Left {
		out = append(out, "left: "+c.String())
	}
	for _, r := range e.Requests {
		out = append(out, fmt.Sprintf("request %d: %s %d", r.Seq, r.Operation, r.Status))
	}
	return out
}

// String returns the change in words.
func (c Change) String() string {
	return fmt.Sprintf("%s %s.%s %s%s", c.Op, c.Service, c.Entity, c.Key, causes(c.Cause))
}

func causes(requests []Request) string {
	if len(requests) == 0 {
		return ""
	}
	out := make([]string, len(requests))
	for i, r := range requests {
		out[i] = strings.TrimSpace(fmt.Sprintf("request %d %s", r.Seq, r.Operation))
	}
	return " (" + strings.Join(out, ", ") + ")"
}
