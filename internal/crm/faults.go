package crm

import (
	"understudy/internal/crm/schema"
	"understudy/internal/platform/fault"
)

// The refusals of the CRM. Their Attrs are ValidationProblems, Conflict,
// Details or StageUse where the comments say so.
var (
	// RecordNotFound: no such record in the portal, or it is archived.
	RecordNotFound = fault.New(fault.NotFound, "record_not_found", "resource not found")
	// BadRecordID: the id is not a number.
	BadRecordID = fault.New(fault.NotFound, "bad_record_id", "Object not found.  objectId are usually numeric.")
	// ContactExists: a contact with this e-mail address is there.
	ContactExists = fault.New(fault.Conflict, "contact_exists", "Contact already exists.")
	// ValueTaken: another record has this value of a unique property.
	ValueTaken = fault.New(fault.Invalid, "value_taken", "Another record already has that value.")
	// DefinitionNotFound: no such property, group, pipeline or stage.
	DefinitionNotFound = fault.New(fault.NotFound, "definition_not_found", "resource not found")
	// DefinitionExists: the name or id is taken; carries Details.
	DefinitionExists = fault.New(fault.Conflict, "definition_exists", "It already exists.")
	// BadDefinition: a definition breaks a rule; may carry Details.
	BadDefinition = fault.New(fault.Invalid, "bad_definition", "The definition is not valid.")
	// OwnerNotFound: no such owner.
	OwnerNotFound = fault.New(fault.NotFound, "owner_not_found", "resource not found")
	// BadGrant: an OAuth exchange is refused; Field is the upstream's status word.
	BadGrant = fault.New(fault.Invalid, "bad_grant", "The grant is not valid.")
	// TokenNotFound: no such token.
	TokenNotFound = fault.New(fault.NotFound, "token_not_found", "resource not found")
	// TooMuchAtOnce: the records that a batch writes are too long for one reply together.
	TooMuchAtOnce = fault.New(fault.Unprocessable, "records_too_large", "The records of this batch are longer than 30 MiB together: send fewer at once.")
	// errStale: definitions changed between the check and the write; try again.
	errStale = fault.New(fault.Unavailable, "definitions_changed", "The portal's definitions changed; try again.")
)

// maxWritten is how many bytes of records a batch writes at most: they make its
// reply, which would be refused after the records were written.
const maxWritten = 30 << 20

// Details adds what upstream's envelope has beside the message.
type Details struct {
	SubCategory string
	Context     map[string][]string
}

// The refusals that searches share.
var (
	UnknownType       = schema.UnknownType
	InvalidProperties = schema.InvalidProperties
	InvalidRequest    = schema.InvalidRequest
)

// ValidationProblems are the values of one record that do not fit.
type ValidationProblems = schema.ValidationProblems

// Problem is one value that does not fit its definition.
type Problem = schema.Problem

func invalid(format string, args ...any) *fault.Error { return InvalidRequest.Detailf(format, args...) }
