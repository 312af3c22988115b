package verdict

import (
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/record"
)

// The kinds of actors.
const (
	Agent  = "agent"
	Person = "person"
	Admin  = "admin"
	System = "system"
)

// Actor is the sender of a request.
type Actor struct {
	Kind    string // agent, person, admin or system
	Service string
	ID      string // of the user within the service
}

// Writer is a request that wrote a change.
type Writer struct {
	Seq       int64
	Operation string
	Actor     Actor
	Fields    []string // the fields that it wrote; nil if unknown
}

// Request is a recorded request.
type Request struct {
	Seq        int64
	Service    string
	Operations []string
	Actor      Actor
	Status     int
	Tool       string // the tool that made it; "" for none
	Parent     int64  // the request during which this one was made; 0 for none
	Path       string
	Query      string // without the "?"
	Body       []byte // request and reply, if bodies were requested
	Reply      []byte
	Dropped    bool // a body was not kept completely
}

// callsTool reports whether a request is a call of a tool, whose own requests
// follow.
func (q *Request) callsTool() bool {
	return len(q.Operations) > 0 && strings.HasPrefix(q.Operations[0], record.ToolPrefix)
}

// isInternal reports whether a tool server made the request for itself, such as
// to find out to whom a token belongs.
func (q *Request) isInternal() bool { return q.Parent != 0 && q.Tool == "" }

// content returns the body, or the query of a request without a body.
func (q *Request) content() []byte {
	if len(q.Body) == 0 {
		return []byte(q.Query)
	}
	return q.Body
}

// Source provides the recordings of an environment.
type Source interface {
	// Writers returns the requests that wrote a change, the last first; exact
	// reports that all of them did and no others, complete that no others may have.
	Writers(ch *diff.Change) (list []Writer, exact, complete bool)
	// Requests returns the recorded requests in the order of their numbers, with or
	// without bodies; complete reports that there were no others.
	Requests(bodies bool) (list []Request, complete bool)
}
