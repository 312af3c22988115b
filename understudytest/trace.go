package understudytest

import "encoding/json"

// Trace is what an agent did in a session, turn by turn, and what came of it.
type Trace struct {
	Session struct {
		SessionID string `json:"session_id"`
		UserID    string `json:"user_id"`
	} `json:"session"`
	Turns    []Turn          `json:"turns"`
	Unjoined []TracedRequest `json:"unjoined"` // only Seq, Operations and Status are set
	Joined   map[string]int  `json:"joined"`   // by rule: request, span, trace, order
}

// Turn is one turn of the agent, or one use of a tool. Without a session it is
// all requests of one trace, and Event is null.
type Turn struct {
	Event    json.RawMessage `json:"event"`
	TraceID  string          `json:"trace_id"`
	Tools    []Turn          `json:"tools"`
	Requests []TracedRequest `json:"requests"`
}

// TracedRequest is a request with what it changed and what it sent.
type TracedRequest struct {
	Seq        int64           `json:"seq"`
	Operations []string        `json:"operations"`
	Status     int             `json:"status"`
	Join       string          `json:"join"` // the rule by which it stands here
	Fault      json.RawMessage `json:"fault"`
	Changes    []Change        `json:"changes"`
	Events     []struct {
		Type       string `json:"type"`
		Deliveries []struct {
			ID       string `json:"id"`
			Status   string `json:"status"`
			Attempts int    `json:"attempts"`
		} `json:"deliveries"`
	} `json:"events"`
}

// Trace returns the trace of a session of ingestion; with "-" that of all
// requests, by their trace ids.
func (w *World) Trace(session string) (out Trace) {
	w.t.Helper()
	w.do("GET", "/trace/"+escape(session), nil, &out)
	return out
}
