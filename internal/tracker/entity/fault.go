package entity

import "understudy/internal/platform/fault"

// The refusals of this package. Field names the argument at fault.
var (
	// NotFound is a reference to no row that the caller may see; Attrs is a Name.
	NotFound = fault.New(fault.NotFound, "entity_not_found", "Could not find referenced entity.")
	// BadArgument is a malformed or impossible value of the argument Field.
	BadArgument = fault.New(fault.Invalid, "argument_invalid", "Argument Validation Error")
	// BadInput is an input that breaks a rule; Detail says which.
	BadInput = fault.New(fault.Unprocessable, "invalid_input", "The input is not valid.")
	// Taken is an id that another row of the kind has; Attrs is a Name.
	Taken = fault.New(fault.Conflict, "id_taken", "An entity with this id exists.")
)

// Name is what a fault is about: a kind, such as "Issue", and an id.
type Name struct {
	Kind string
	ID   string
}

func badInput(format string, args ...any) *fault.Error { return BadInput.Detailf(format, args...) }

func badArgument(field, format string, args ...any) *fault.Error {
	return BadArgument.At(field).Detailf(format, args...)
}
