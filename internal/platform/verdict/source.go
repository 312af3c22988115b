package verdict

import (
	"understudy/internal/platform/diff"
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
	ID      string // the user's or the app's
	App     string // of a token of an app
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
	Code       string // of a refusal, in the service's dialect
	Tool       string // the tool that made it, or that it calls; "" for none
	Calls      bool   // it is a call of a tool, whose own requests follow
	Body       []byte // nil when it was not kept
	Dropped    bool   // it had a body, which was not kept whole
}

// Source is what is known of how an environment became what it is.
type Source interface {
	// Writers returns the requests that wrote a change, last writer first, and
	// reports whether there were no others.
	Writers(ch *diff.Change) (list []Writer, exact bool)
	// Requests returns the recorded requests in the order of their numbers, and
	// reports whether there were no others.
	Requests() (list []Request, complete bool)
	// CameAndWent returns what the agent made and removed again, and reports
	// whether there was nothing else.
	CameAndWent() (list []Transient, exact bool)
}

// Transient is a thing that was made and removed between two states.
type Transient struct {
	Service, Entity, Key string
	Writers              []Writer
}
