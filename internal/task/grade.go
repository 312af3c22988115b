package task

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settled is how long an environment must be quiet before a run is graded, in
// milliseconds: longer if a program of the task's world may still act.
const (
	quiet         = 2
	quietWithApp  = 150
	settleTimeout = 5000
)

// Grading returns the document with which a run is graded. answer is the agent's
// answer; nil for none.
func (t *Task) Grading(known Bindings, answer *string) map[string]any {
	q := quiet
	if t.App != nil || t.User != nil {
		q = quietWithApp
	}
	doc := map[string]any{"settle": map[string]any{"quiet_ms": q, "timeout_ms": settleTimeout}}
	if expected := t.sent(); len(expected) > 0 {
		doc["expect"] = expected
	}
	if t.NothingElse != nil {
		doc["nothing_else"] = json.RawMessage(t.NothingElse)
	}
	if len(t.Trajectory) > 0 {
		doc["trajectory"] = raw(t.Trajectory)
	}
	if len(known) > 0 {
		bound := map[string]any{}
		for name, reply := range known {
			reply = maps.Clone(reply)
			delete(reply, "request_seq")
			bound[name] = reply
		}
		doc["bind"] = bound
	}
	if answer != nil {
		doc["answer"] = *answer
	}
	return doc
}

func raw[T ~[]byte](in []T) []json.RawMessage {
	out := make([]json.RawMessage, len(in))
	for i := range in {
		out[i] = json.RawMessage(in[i])
	}
	return out
}

// sent returns the expectations that the server evaluates.
func (t *Task) sent() []json.RawMessage {
	all := raw(t.Expect)
	if t.exit != nil {
		all = slices.Delete(all, t.exit.Index, t.exit.Index+1)
	}
	return all
}

// Field returns the task's field for a field of the grading document.
func (t *Task) Field(field string) string {
	rest, ok := strings.CutPrefix(field, "expect[")
	if !ok || t.exit == nil {
		return field
	}
	digits, more, _ := strings.Cut(rest, "]")
	if i, err := strconv.Atoi(digits); err == nil && i >= t.exit.Index {
		return "expect[" + strconv.Itoa(i+1) + "]" + more
	}
	return field
}

// Exit returns the expectation of the exit status; nil for none.
func (t *Task) Exit() *ExitStatus { return t.exit }

// ForkRequest returns the body of the request that creates the fork of a run.
// destination is the address of the app; "" if there is none.
func (t *Task) ForkRequest(run int, limit time.Duration, destination string) map[string]any {
	f := t.Fork
	body := map[string]any{"name": t.Name + " " + strconv.Itoa(run), "credentials": "fresh", "ephemeral": true, "recordings": "full",
		"ttl_seconds": limit.Seconds() + 600}
	for name, text := range map[string]string{"clock": f.Clock, "deliveries": f.Deliveries, "rate_limits": f.RateLimits, "recordings": f.Recordings, "snapshot": f.Snapshot} {
		if text != "" {
			body[name] = text
		}
	}
	if f.Ephemeral != nil {
		body["ephemeral"] = *f.Ephemeral
	}
	if f.TTLSeconds != nil {
		body["ttl_seconds"] = *f.TTLSeconds
	}
	if f.Faults != nil {
		body["faults"] = json.RawMessage(f.Faults)
	}
	if f.Seed != nil {
		body["seed"] = *t.SeedOf(run)
	}
	destinations := map[string]any{}
	for from, to := range f.Destinations {
		destinations[from] = to
	}
	if destination != "" {
		destinations[t.App.Serves] = destination
	}
	if len(destinations) > 0 {
		body["destinations"] = destinations
	}
	return body
}

// Path returns the path of a file that the task names.
func (t *Task) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

// Dir returns the directory of the task.
func (t *Task) Dir() string { return t.dir }

// SolutionCommand returns the words of the solution, with full paths of files in
// the task's directory; nil without a solution.
func (t *Task) SolutionCommand() []string {
	words, _ := t.solution()
	words = slices.Clone(words)
	for i, word := range words {
		if _, err := os.Stat(t.Path(word)); err == nil {
			words[i] = t.Path(word)
		}
	}
	return words
}
