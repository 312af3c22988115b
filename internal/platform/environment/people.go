package environment

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
)

// The refusals of acting as someone.
var (
	PersonNotFound    = fault.New(fault.NotFound, "person_not_found", "There is nobody with this id, handle or e-mail address.")
	NotAPerson        = fault.New(fault.Unprocessable, "not_a_person", "This is an app, not a person: act with the app's own token.")
	NoSuchAct         = fault.New(fault.NotFound, "act_not_found", "There is no such act.")
	PersonDeactivated = fault.New(fault.Unprocessable, "person_deactivated", "This person has been deactivated.")
)

// Populated is an Instance with people, as whom the admin plane can act.
type Populated interface {
	Population() Population
}

// Population is the people of a service.
type Population struct {
	// List returns a page of them, and reports whether there are more.
	List func(ctx context.Context, q auth.PersonQuery) ([]auth.Person, bool, error)
	// Find returns the one whom a text names by id, handle or e-mail address, in a
	// tenant or, with "", in any.
	Find func(ctx context.Context, tenant, text string) (p auth.Person, found bool, err error)
	// Sessions are the kinds of sessions that there are, the usual one first.
	Sessions []SessionKind
}

// SessionKind is a kind of session to act as someone.
type SessionKind struct {
	Name   string // as requests name it, such as "user_token"
	Kind   auth.Kind
	Prefix string   // of the token's text
	Scopes []string // all that such a session may be given; nil when its kind has none
	Tier   string   // the service's credential class
}

// Act is something that people of a service do by one call of the admin plane.
type Act struct {
	Name    string
	Summary string
	New     func() any // returns a pointer to a new request, which JSON is read into
	Reply   any        // a reply of its type
}

// ActReply is the reply of an Act.
type ActReply interface {
	// Requests sets the numbers of the requests that the act has made.
	Requests(seqs []int64)
}

// Active is a Service whose people act.
type Active interface {
	// Acts returns the acts that there are.
	Acts() []Act
	// Waiting returns the shape of a wait: its request, and what it answers with.
	Waiting() Act
	// Inbox returns a reply of the type of Acting.Inbox.
	Inbox() any
}

// Acting is an Instance of an Active service: it acts as the people that Populated lists.
type Acting interface {
	Populated
	// Act does an act as a person, with the token of a session of theirs. What
	// the service refuses is fault.Unprocessable with the service's code; it also
	// returns AppFailed.
	Act(ctx context.Context, p auth.Person, token, name string, request any) (any, error)
	// Inbox returns what popped up for a person after an item, newest first.
	Inbox(ctx context.Context, p auth.Person, after string, limit int) (any, error)
	// Wait waits, in real time, until something has popped up for a person. It
	// returns TimedOut.
	Wait(ctx context.Context, p auth.Person, token string, request any) (any, error)
}

// The refusals of acting and of waiting.
var (
	AppFailed = fault.New(fault.Unavailable, "app_failed", "The app did not answer.")
	TimedOut  = fault.New(fault.Conflict, "timed_out", "What was waited for did not happen in time.")
)

// Details is what a refusal adds to its code and message.
type Details map[string]any

// PopulatedServices returns the services that have people, in order.
func (e *Environment) PopulatedServices() (names []string) {
	for _, name := range e.order {
		if _, ok := e.instances[name].(Populated); ok {
			names = append(names, name)
		}
	}
	return names
}
