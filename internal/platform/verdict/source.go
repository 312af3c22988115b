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

// Actor is who made a request.
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
	Fields    []string // that it wrote; nil when it may have written any
}

// Request is a request that an environment recorded.
type Request struct {
	Seq        int64
	Service    string
	Operations []string
	Actor      Actor
	Status     int
	Tool       string // the tool that made it; "" for none
	Body       []byte // of the request, and its reply, where bodies were asked for
	Reply      []byte
	Dropped    bool // it has a body that was not kept whole
}

// callsTool reports whether a request is a call of a tool, whose own requests
// follow it.
func (q *Request) callsTool() bool {
	return len(q.Operations) > 0 && strings.HasPrefix(q.Operations[0], record.ToolPrefix)
}

// Source is what is known of how an environment became what it is.
type Source interface {
	// Writers returns the requests that wrote a change, last writer first, and
	// reports whether there were no others.
	Writers(ch *diff.Change) (list []Writer, exact bool)
	// Requests returns the recorded requests in the order of their numbers, with
	// bodies or without, and reports whether there were no others.
	Requests(bodies bool) (list []Request, complete bool)
}
