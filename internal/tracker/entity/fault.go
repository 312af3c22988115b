package entity

import "understudy/internal/platform/fault"

// The errors of this package. Field names the invalid argument.
var (
	// NotFound refuses a reference to a row that does not exist or that the
	// caller may not see; Attrs is a Name.
	NotFound = fault.New(fault.NotFound, "entity_not_found", "Could not find referenced entity.")
	// BadArgument refuses a malformed or impossible value of the argument Field.
	BadArgument = fault.New(fault.Invalid, "argument_invalid", "Argument Validation Error")
	// BadInput refuses an input that breaks a rule; Detail names the rule.
	BadInput = fault.New(fault.Unprocessable, "invalid_input", "The input is not valid.")
	// Taken refuses an id that another row of the kind has; Attrs is a Name.
	Taken = fault.New(fault.Conflict, "id_taken", "An entity with this id exists.")
)

// Name names the row that a fault is about: by its kind, such as "Issue", and its
// id.
type Name struct {
	Kind string
	ID   string
}

func badInput(format string, args ...any) *fault.Error { return BadInput.Detailf(format, args...) }

func badArgument(field, format string, args ...any) *fault.Error {
	return BadArgument.At(field).Detailf(format, args...)
}
