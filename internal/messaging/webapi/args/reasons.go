package args

import "understudy/internal/platform/fault"

// The errors of a body; each is also its code on the wire.
const (
	InvalidPostType  fault.Reason = "invalid_post_type"
	MissingPostType  fault.Reason = "missing_post_type"
	InvalidCharset   fault.Reason = "invalid_charset"
	InvalidFormData  fault.Reason = "invalid_form_data"
	InvalidJSON      fault.Reason = "invalid_json"
	JSONNotObject    fault.Reason = "json_not_object"
	InvalidArgName   fault.Reason = "invalid_arg_name"
	InvalidArrayArg  fault.Reason = "invalid_array_arg"
	RequestTimeout   fault.Reason = "request_timeout"
	InvalidArguments fault.Reason = "invalid_arguments"
)

// The warnings of a body.
const (
	missingCharset     = "missing_charset"
	superfluousCharset = "superfluous_charset"
)

// Invalid returns the error for an invalid argument. Its Attrs are the messages
// ([]string) for response_metadata.messages.
func Invalid(name, message string) *fault.Error {
	return fault.New(fault.Invalid, InvalidArguments, message).At(name).With([]string{message})
}

// Missing returns the error for an absent required argument, in upstream's words.
func Missing(name string) *fault.Error {
	return Invalid(name, "[ERROR] missing required field: "+name)
}

func refuse(reason fault.Reason, detail string) *fault.Error {
	return fault.New(fault.Invalid, reason, detail)
}
