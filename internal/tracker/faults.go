package tracker

import (
	"understudy/internal/platform/fault"
	"understudy/internal/tracker/entity"
)

// The errors of this package. Field names the wrong argument.
var (
	NotFound    = entity.NotFound
	BadArgument = entity.BadArgument
	BadInput    = entity.BadInput
	Taken       = entity.Taken
	// NameTaken is returned for a name or key that must be unique and is in use.
	NameTaken = fault.New(fault.Conflict, "name_taken", "This name is taken.")
	// Forbidden is returned for an action that the caller's role does not allow.
	Forbidden = fault.New(fault.Forbidden, "forbidden", "You are not allowed to do this.")
	// NoOrganization is returned to a session that has not joined an organization.
	NoOrganization = fault.New(fault.Forbidden, "no_organization", "This session belongs to no organization.")
)

func notFound(kind string) *fault.Error { return NotFound.With(entity.Name{Kind: kind}) }

// notFoundIn returns NotFound for the id in an argument.
func notFoundIn(kind, field string) *fault.Error { return notFound(kind).At(field) }

func badInput(format string, args ...any) *fault.Error { return BadInput.Detailf(format, args...) }

func badArgument(field, format string, args ...any) *fault.Error {
	return BadArgument.At(field).Detailf(format, args...)
}

// Phrase is the message of a BadInput that programs recognize it by. The Detail of
// the error is for people.
type Phrase string

// phrased returns BadInput with a message that is the same in all such errors.
func phrased(phrase Phrase, format string, args ...any) *fault.Error {
	return badInput(format, args...).With(phrase)
}

// discrepancy refuses an issue whose state, cycle or project its team does not have.
func discrepancy() *fault.Error {
	return badInput("Discrepancy between issue team and state, cycle or project.")
}
