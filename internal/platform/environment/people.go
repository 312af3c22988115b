package environment

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
)

// The errors of acting as a person.
var (
	PersonNotFound    = fault.New(fault.NotFound, "person_not_found", "There is nobody with this id, handle or e-mail address.")
	NotAPerson        = fault.New(fault.Unprocessable, "not_a_person", "This is an app, not a person: act with the app's own token.")
	NoSuchAct         = fault.New(fault.NotFound, "act_not_found", "There is no such act.")
	PersonDeactivated = fault.New(fault.Unprocessable, "person_deactivated", "This person has been deactivated.")
)

// Populated is an Instance with people as whom the admin plane can act.
type Populated interface {
	Population() Population
}

// Population is the people of a service.
type Population struct {
	// List returns a page of people, and reports whether there are more.
	List func(ctx context.Context, q auth.PersonQuery) ([]auth.Person, bool, error)
	// Find returns the person with an id, handle or e-mail address, in a tenant or,
	// with "", in any.
	Find func(ctx context.Context, tenant, text string) (p auth.Person, found bool, err error)
	// Sessions are the kinds of sessions, the default first.
	Sessions []SessionKind
}

// SessionKind is a kind of session for acting as a person.
type SessionKind struct {
	Name   string // the name in requests, such as "user_token"
	Kind   auth.Kind
	Prefix string   // of the token's text
	Scopes []string // all possible scopes; nil if the kind has none
	Tier   string   // credential class of the service
}

// Act is an action of a service's people that one call of the admin plane
// performs.
type Act struct {
	Name    string
	Summary string
	New     func() any // returns a pointer to a new request, for decoding JSON
	Reply   any        // a sample of the reply's type
}

// ActReply is the reply of an Act.
type ActReply interface {
	// Requests sets the numbers of the requests that the act made.
	Requests(seqs []int64)
}

// Active is a Service whose people act.
type Active interface {
	// Acts returns all acts.
	Acts() []Act
	// Waiting describes the request and reply of a wait.
	Waiting() Act
	// Inbox returns a sample of the result of Acting.Inbox.
	Inbox() any
}

// Acting is an Instance of an Active service: it acts as people of Populated.
type Acting interface {
	Populated
	// Act performs an act as a person, with the token of one of the person's
	// sessions. It returns errors of the service as fault.Unprocessable with the
	// service's code, and AppFailed.
	Act(ctx context.Context, p auth.Person, token, name string, request any) (any, error)
	// Inbox returns the items of a person's inbox after an item, newest first.
	Inbox(ctx context.Context, p auth.Person, after string, limit int) (any, error)
	// Wait waits, in real time, for an item in a person's inbox. It returns
	// TimedOut.
	Wait(ctx context.Context, p auth.Person, token string, request any) (any, error)
}

// The errors of acting and waiting.
var (
	AppFailed = fault.New(fault.Unavailable, "app_failed", "The app did not answer.")
	TimedOut  = fault.New(fault.Conflict, "timed_out", "What was waited for did not happen in time.")
)

// Details are additional members of an error.
type Details map[string]any

// PopulatedServices returns the services with people, sorted.
func (e *Environment) PopulatedServices() (names []string) {
	for _, name := range e.order {
		if _, ok := e.instances[name].(Populated); ok {
			names = append(names, name)
		}
	}
	return names
}
