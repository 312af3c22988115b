package schema

import (
	"strconv"

	"understudy/internal/platform/fault"
)

var (
	// UnknownType: no object type has this name.
	UnknownType = fault.New(fault.Invalid, "unknown_object_type", "Unable to infer object type")
	// InvalidProperties: values do not fit their definitions; carries ValidationProblems.
	InvalidProperties = fault.New(fault.Invalid, "invalid_properties", "Property values were not valid")
	// InvalidRequest: the request breaks a rule that its Detail names.
	InvalidRequest = fault.New(fault.Invalid, "invalid_request", "The request is not valid.")
)

// ValidationProblems are the values of one record that do not fit.
type ValidationProblems []Problem

// Problem is one value that does not fit its definition.
type Problem struct {
	Property string
	Code     string // such as INVALID_OPTION
	Message  string
}

// Invalid returns InvalidRequest with a sentence.
func Invalid(format string, args ...any) *fault.Error { return InvalidRequest.Detailf(format, args...) }

// UnknownProperty returns the refusal of a name that no property has.
func UnknownProperty(name string) *fault.Error {
	return InvalidProperties.Detailf("Property %q does not exist", name).
		With(ValidationProblems{{name, "PROPERTY_DOESNT_EXIST", "Property " + strconv.Quote(name) + " does not exist"}})
}
