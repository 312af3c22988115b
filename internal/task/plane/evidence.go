package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Diff is the changes in an environment.
type Diff struct {
	Inserts []Change `json:"inserts"`
	Updates []Change `json:"updates"`
	Deletes []Change `json:"deletes"`
	More    bool     `json:"more,omitempty" jsonschema:"Whether there are more changes than are listed."`
}

// Change is an inserted, updated or deleted record.
type Change struct {
	Service string          `json:"service"`
	Entity  string          `json:"entity"`
	Key     string          `json:"key"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Changed []string        `json:"changed,omitempty"`
	Cause   []Writer        `json:"cause"`
	Exact   bool            `json:"exact"`
}

// Writer is a request that wrote a change.
type Writer struct {
	Seq       *int64   `json:"seq"`
	Operation string   `json:"operation"`
	Actor     Actor    `json:"actor"`
	Fields    []string `json:"fields"`
}

// Actor is the sender of a request.
type Actor struct {
	Kind    string `json:"kind"`
	Service string `json:"service,omitempty"`
	ID      string `json:"id,omitempty"`
	Name    string `json:"name,omitempty"`
}

// Request is a recorded request without its bodies.
type Request struct {
	Seq        int64    `json:"seq"`
	Service    string   `json:"service"`
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Operations []string `json:"operations"`
	Actor      Actor    `json:"actor"`
	Status     int      `json:"status"`
	DurationMS float64  `json:"duration_ms"`
	Fault      *Firing  `json:"fault"`
	Via        *Tool    `json:"via"`
	ParentSeq  *int64   `json:"parent_seq"`
}

// Counts reports whether the request counts for limits: not a call of a tool,
// whose own requests count, nor what a tool server asks for itself.
func (r *Request) Counts() bool {
	if r.Via != nil {
		return true
	}
	return r.ParentSeq == nil && (len(r.Operations) == 0 || !strings.HasPrefix(r.Operations[0], "mcp."))
}

// Tool is a tool that made a request.
type Tool struct {
	Kind string `json:"kind"`
	Tool string `json:"tool"`
}

// Firing is one use of a fault rule.
type Firing struct {
	ID        string `json:"id"`
	Do        string `json:"do"`
	Committed bool   `json:"committed"`
}

// Fault is a fault rule.
type Fault struct {
	ID      string          `json:"id"`
	On      string          `json:"on"`
	Match   json.RawMessage `json:"match,omitempty"`
	When    json.RawMessage `json:"when,omitempty"`
	Do      json.RawMessage `json:"do"`
	Matched int             `json:"matched"`
	Fired   int             `json:"fired"`
}

// The most that reports contain of a run.
const (
	MaxChanges  = 1000
	maxRequests = 2000
)

// Diff returns the changes in an environment, at most MaxChanges.
func (c *Client) Diff(ctx context.Context, environment string) (*Diff, error) {
	var reply struct {
		Diff
		Next string `json:"next_cursor"`
	}
	err := c.Do(ctx, http.MethodGet, Of(environment, fmt.Sprintf("/diff?limit=%d", MaxChanges)), nil, &reply)
	reply.Diff.More = reply.Next != ""
	return &reply.Diff, err
}

// Requests returns the requests after a number, oldest first, at most 2000.
func (c *Client) Requests(ctx context.Context, environment string, after int64, query string) (all []Request, err error) {
	all = []Request{}
	for cursor := ""; len(all) < maxRequests; {
		var reply struct {
			Requests []Request `json:"requests"`
			Next     string    `json:"next_cursor"`
		}
		path := Of(environment, fmt.Sprintf("/requests?order=asc&limit=200&after_seq=%d%s&cursor=%s", after, query, cursor))
		if err := c.Do(ctx, http.MethodGet, path, nil, &reply); err != nil {
			return all, err
		}
		all = append(all, reply.Requests...)
		if cursor = reply.Next; cursor == "" {
			break
		}
	}
	return all, nil
}

// Faults returns the fault rules of an environment, with the number of times that
// each fired.
func (c *Client) Faults(ctx context.Context, environment string) ([]Fault, error) {
	reply := struct {
		Faults []Fault `json:"faults"`
	}{Faults: []Fault{}}
	err := c.Do(ctx, http.MethodGet, Of(environment, "/faults?limit=200"), nil, &reply)
	return reply.Faults, err
}

// Trace returns the trace of a session, or of all requests if nothing was
// ingested in it; nil for a server without traces.
func (c *Client) Trace(ctx context.Context, environment, session string) (json.RawMessage, error) {
	for _, one := range []string{session, "-"} {
		text, err := c.Text(ctx, http.MethodGet, Of(environment, "/trace/"+one), nil)
		if r := Refused(err); r == nil || r.Status >= 500 {
			return text, err
		}
	}
	return nil, nil
}
