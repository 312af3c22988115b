package environment

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
)

// The refusals of acting as someone.
var (
	PersonNotFound    = fault.New(fault.NotFound, "person_not_found", "There is nobody with this id, handle or e-mail address.")
	NotAPerson        = fault.New(fault.Unprocessable, "not_a_person", "This is no person: apps have tokens of their own.")
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

// PopulatedServices returns the services that have people, in order.
func (e *Environment) PopulatedServices() (names []string) {
	for _, name := range e.order {
		if _, ok := e.instances[name].(Populated); ok {
			names = append(names, name)
		}
	}
	return names
}
