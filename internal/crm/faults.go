package crm

import (
	"understudy/internal/crm/schema"
	"understudy/internal/platform/fault"
)

// The errors of the CRM. Their Attrs are ValidationProblems, Conflict, Details or
// StageUse where the comments say so.
var (
	// RecordNotFound: no such record in the portal, or it is archived.
	RecordNotFound = fault.New(fault.NotFound, "record_not_found", "resource not found")
	// BadRecordID: the id is not a number.
	BadRecordID = fault.New(fault.NotFound, "bad_record_id", "Object not found.  objectId are usually numeric.")
	// ContactExists: another contact has this e-mail address.
	ContactExists = fault.New(fault.Conflict, "contact_exists", "Contact already exists.")
	// ValueTaken: another record has this value of a unique property.
	ValueTaken = fault.New(fault.Invalid, "value_taken", "Another record already has that value.")
	// DefinitionNotFound: no such property, group, pipeline or stage.
	DefinitionNotFound = fault.New(fault.NotFound, "definition_not_found", "resource not found")
	// DefinitionExists: the name or id is taken; has Details.
	DefinitionExists = fault.New(fault.Conflict, "definition_exists", "It already exists.")
	// BadDefinition: a definition is invalid; may have Details.
	BadDefinition = fault.New(fault.Invalid, "bad_definition", "The definition is not valid.")
	// OwnerNotFound: no such owner.
	OwnerNotFound = fault.New(fault.NotFound, "owner_not_found", "resource not found")
	// BadGrant: an OAuth exchange is rejected; Field is the upstream's status word.
	BadGrant = fault.New(fault.Invalid, "bad_grant", "The grant is not valid.")
	// TokenNotFound: no such token.
	TokenNotFound = fault.New(fault.NotFound, "token_not_found", "resource not found")
	// TooMuchAtOnce: the records of a batch exceed the size of one reply.
	TooMuchAtOnce = fault.New(fault.Unprocessable, "records_too_large", "The records of this batch are longer than 30 MiB together: send fewer at once.")
	// errStale: definitions changed between validation and write; try again.
	errStale = fault.New(fault.Unavailable, "definitions_changed", "The portal's definitions changed; try again.")
)

// maxWritten is the most bytes of records that a batch may write: its reply
// contains them, and would otherwise fail after the write.
const maxWritten = 30 << 20

// Details adds members to the message of upstream's envelope.
type Details struct {
	SubCategory string
	Context     map[string][]string
}

// The errors that searches share.
var (
	UnknownType       = schema.UnknownType
	InvalidProperties = schema.InvalidProperties
	InvalidRequest    = schema.InvalidRequest
)

// ValidationProblems are the invalid values of one record.
type ValidationProblems = schema.ValidationProblems

// Problem is one invalid value.
type Problem = schema.Problem

func invalid(format string, args ...any) *fault.Error { return InvalidRequest.Detailf(format, args...) }
