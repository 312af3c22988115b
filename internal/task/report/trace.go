package report

import (
	"encoding/json"
	"maps"
	"slices"

	"understudy/internal/task/plane"
)

// trace is an agent's report of its steps, joined with its requests.
type trace struct {
	Turns    []step       `json:"turns"`
	Unjoined []tracedCall `json:"unjoined"`
}

// step is a turn or a tool, with its requests.
type step struct {
	Event struct {
		Name    string   `json:"name"`
		Model   string   `json:"model"`
		Success *bool    `json:"success"`
		Latency *float64 `json:"latency"` // milliseconds
	} `json:"event"`
	Tools    []step       `json:"tools"`
	Requests []tracedCall `json:"requests"`
}

// tracedCall is a request with its consequences.
type tracedCall struct {
	Seq        int64         `json:"seq"`
	Operations []string      `json:"operations"`
	Status     int           `json:"status"`
	Join       string        `json:"join"`
	Fault      *plane.Firing `json:"fault"`
	Changes    []struct {
		Op      string `json:"op"`
		Service string `json:"service"`
		Entity  string `json:"entity"`
		Key     string `json:"key"`
	} `json:"changes"`
	Events []struct {
		Type       string `json:"type"`
		Deliveries []struct {
			ID       string `json:"id"`
			Status   string `json:"status"`
			Attempts int    `json:"attempts"`
		} `json:"deliveries"`
	} `json:"events"`
}

// readTrace decodes a trace; nil if it has no turns.
func readTrace(raw json.RawMessage) *trace {
	var t trace
	if json.Unmarshal(raw, &t) != nil || len(t.Turns) == 0 {
		return nil
	}
	return &t
}

// sortedNames returns the names of two objects in order.
func sortedNames(a, b map[string]json.RawMessage) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
