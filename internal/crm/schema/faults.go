package schema

import (
	"strconv"

	"understudy/internal/platform/fault"
)

var (
	// UnknownType: there is no object type of this name.
	UnknownType = fault.New(fault.Invalid, "unknown_object_type", "Unable to infer object type")
	// InvalidProperties: some values are invalid; has ValidationProblems.
	InvalidProperties = fault.New(fault.Invalid, "invalid_properties", "Property values were not valid")
	// InvalidRequest: the request is invalid, as its Detail explains.
	InvalidRequest = fault.New(fault.Invalid, "invalid_request", "The request is not valid.")
)

// ValidationProblems are the invalid values of one record.
type ValidationProblems []Problem

// Problem is one invalid value.
type Problem struct {
	Property string
	Code     string // such as INVALID_OPTION
	Message  string
}

// Invalid returns InvalidRequest with a message.
func Invalid(format string, args ...any) *fault.Error { return InvalidRequest.Detailf(format, args...) }

// UnknownProperty returns the error for an unknown name of a property.
func UnknownProperty(name string) *fault.Error {
	return InvalidProperties.Detailf("Property %q does not exist", name).
		With(ValidationProblems{{name, "PROPERTY_DOESNT_EXIST", "Property " + strconv.Quote(name) + " does not exist"}})
}
