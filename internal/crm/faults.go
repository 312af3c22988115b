package crm

import "understudy/internal/platform/fault"

// The refusals of the CRM. Their Attrs are ValidationProblems, Conflict,
// Details or StageUse where the comments say so.
var (
	// RecordNotFound: no such record in the portal, or it is archived.
	RecordNotFound = fault.New(fault.NotFound, "record_not_found", "resource not found")
	// BadRecordID: the id is not a number.
	BadRecordID = fault.New(fault.NotFound, "bad_record_id", "Object not found.  objectId are usually numeric.")
	// UnknownType: no object type has this name.
	UnknownType = fault.New(fault.Invalid, "unknown_object_type", "Unable to infer object type")
	// InvalidProperties: values do not fit their definitions; carries ValidationProblems.
	InvalidProperties = fault.New(fault.Invalid, "invalid_properties", "Property values were not valid")
	// ContactExists: a contact with this e-mail address is there.
	ContactExists = fault.New(fault.Conflict, "contact_exists", "Contact already exists.")
	// ValueTaken: another record has this value of a unique property.
	ValueTaken = fault.New(fault.Invalid, "value_taken", "Another record already has that value.")
	// InvalidRequest: the request breaks a rule that its Detail names.
	InvalidRequest = fault.New(fault.Invalid, "invalid_request", "The request is not valid.")
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
	// TokenNotFound: no such token to tell about.
	TokenNotFound = fault.New(fault.NotFound, "token_not_found", "resource not found")
	// errStale: definitions changed between the check and the write; try again.
	errStale = fault.New(fault.Unavailable, "definitions_changed", "The portal's definitions changed; try again.")
)

// Details adds what upstream's envelope has beside the message.
type Details struct {
	SubCategory string
	Context     map[string][]string
}

// ValidationProblems are the values of one record that do not fit.
type ValidationProblems []Problem

// Problem is one value that does not fit its definition.
type Problem struct {
	Property string
	Code     string // such as INVALID_OPTION
	Message  string
}

func invalid(format string, args ...any) *fault.Error { return InvalidRequest.Detailf(format, args...) }
