package tracker

import (
	"understudy/internal/platform/fault"
)

// The refusals of this package. Field names the argument at fault.
var (
	// NotFound is a reference to nothing; Attrs is an Entity.
	NotFound = fault.New(fault.NotFound, "entity_not_found", "Could not find referenced entity.")
	// BadArgument is a malformed or impossible value of the argument Field.
	BadArgument = fault.New(fault.Invalid, "argument_invalid", "Argument Validation Error")
	// BadInput is an input that breaks a rule; Detail says which.
	BadInput = fault.New(fault.Unprocessable, "invalid_input", "The input is not valid.")
	// Taken is an id that a client chose and another entity has; Attrs is an Entity.
	Taken = fault.New(fault.Conflict, "id_taken", "An entity with this id exists.")
	// NameTaken is a name or key that must be unique and is not.
	NameTaken = fault.New(fault.Conflict, "name_taken", "This name is taken.")
	// Forbidden is an action that the caller's role does not allow.
	Forbidden = fault.New(fault.Forbidden, "forbidden", "You are not allowed to do this.")
	// NoOrganization is a session that has not joined an organization.
	NoOrganization = fault.New(fault.Forbidden, "no_organization", "This session belongs to no organization.")
)

// Entity is what a fault is about, such as "Issue" and its id.
type Entity struct {
	Name string
	ID   string
}

func notFound(entity string) *fault.Error { return NotFound.With(Entity{Name: entity}) }

// notFoundIn says that an id given in an argument leads nowhere.
func notFoundIn(entity, field string) *fault.Error { return notFound(entity).At(field) }

func badInput(format string, args ...any) *fault.Error { return BadInput.Detailf(format, args...) }

func badArgument(field, format string, args ...any) *fault.Error {
	return BadArgument.At(field).Detailf(format, args...)
}
