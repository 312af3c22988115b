package graph

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/obs"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// The refusals of this package.
var (
	// TooComplex refuses a document that costs more than is allowed.
	TooComplex = fault.New(fault.Unprocessable, "query_too_complex", "Query too complex")
	// RateLimited refuses a caller who has spent a budget.
	RateLimited = fault.New(fault.RateLimited, "ratelimited", "Rate limit exceeded")
	badMethod   = fault.New(fault.Invalid, "method_not_allowed", "GraphQL requests are sent with POST.")
	badType     = fault.New(fault.Invalid, "unsupported_media_type", "GraphQL requests are sent as application/json.")
	badBody     = fault.New(fault.Invalid, "invalid_request", "The body must be a JSON object with a query.")
)

// form is the wire form of an error: clients choose the class of an error by
// kind.
type form struct {
	kind   string
	code   string
	status int // of the reply
	number int // extensions.statusCode; 400 when 0
}

// forms has every reason that can occur, so that each has a form of its own.
var forms = map[fault.Reason]form{
	tracker.NotFound.Reason:       {"invalid input", "INPUT_ERROR", 200, 0},
	tracker.BadArgument.Reason:    {"invalid input", "INVALID_INPUT", 400, 0},
	tracker.BadInput.Reason:       {"invalid input", "INPUT_ERROR", 200, 0},
	tracker.Taken.Reason:          {"invalid input", "INPUT_ERROR", 200, 0},
	tracker.NameTaken.Reason:      {"user error", "USER_ERROR", 200, 0},
	tracker.Forbidden.Reason:      {"forbidden", "FORBIDDEN", 200, 403},
	tracker.NoOrganization.Reason: {"forbidden", "FORBIDDEN", 200, 403},
	auth.Missing.Reason:           unauthenticated,
	auth.Invalid.Reason:           unauthenticated,
	auth.Revoked.Reason:           unauthenticated,
	auth.Expired.Reason:           unauthenticated,
	TooComplex.Reason:             {"invalid input", "INPUT_ERROR", 400, 0},
	ReplyTooLarge.Reason:          {"invalid input", "INPUT_ERROR", 400, 0},
	badValue.Reason:               {"graphql error", "BAD_USER_INPUT", 400, 0},
	RateLimited.Reason:            {"ratelimited", "RATELIMITED", 400, 429},
	badMethod.Reason:              {"graphql error", "METHOD_NOT_ALLOWED", 405, 405},
	badType.Reason:                {"graphql error", "UNSUPPORTED_MEDIA_TYPE", 415, 415},
	badBody.Reason:                {"graphql error", "BAD_REQUEST", 400, 0},
	httpkit.BadJSON.Reason:        {"graphql error", "BAD_REQUEST", 400, 0},
	httpkit.BadURL.Reason:         {"graphql error", "BAD_REQUEST", 400, 0},
	httpkit.Aborted.Reason:        {"graphql error", "BAD_REQUEST", 400, 0},
	httpkit.TooLarge.Reason:       {"graphql error", "PAYLOAD_TOO_LARGE", 413, 413},
}

var (
	unavailable     = form{"internal error", "SERVICE_UNAVAILABLE", 503, 503}
	unauthenticated = form{"authentication error", "AUTHENTICATION_ERROR", 401, 401}
	internal        = form{"internal error", "INTERNAL_SERVER_ERROR", 500, 500}
)

func formOf(err error) (form, *fault.Error) {
	var large *engine.ReplyTooLarge
	var argument *engine.ArgumentError
	var unserved *engine.Unserved
	switch {
	case errors.As(err, &unserved):
		err = tracker.BadArgument.At(unserved.Name[strings.LastIndexByte(unserved.Name, '.')+1:]).Detailf("%s", unserved)
	case errors.As(err, &large):
		err = ReplyTooLarge.Detailf("%s", large)
	case errors.As(err, &argument):
		err = badValue.Detailf("%s", argument)
	}
	if f, ok := fault.As(err); ok {
		if known, ok := forms[f.Reason]; ok {
			return known, f
		}
		if f.Kind == fault.Unavailable {
			return unavailable, f
		}
	}
	return internal, nil
}

// present sets the message and extensions of a getter's error.
func present(_ context.Context, e *engine.Error) {
	e.Message, e.Extensions = describe(formOf(e.Cause))
}

// ReplyTooLarge refuses a reply that is longer than is allowed.
var ReplyTooLarge = fault.New(fault.Unprocessable, "reply_too_large", "The reply is too large.")

// badValue refuses an argument whose value is not valid, which is noticed when
// its field is executed.
var badValue = fault.New(fault.Invalid, "bad_user_input", "")

// logInternal logs the errors whose text callers do not see.
func (h *Handler) logInternal(ctx context.Context, errs []*engine.Error) {
	for _, e := range errs {
		if _, why := formOf(e.Cause); why == nil {
			h.d.Log.Error("a field of a GraphQL request failed", "request_id", obs.RequestID(ctx), "path", e.Path, "error", e.Cause)
		}
	}
}

// describe returns the message and the extensions of a refusal; why is nil for an internal error.
func describe(f form, why *fault.Error) (message string, extensions map[string]any) {
	message, detail := "Internal server error", ""
	extensions = map[string]any{"type": f.kind, "code": f.code, "statusCode": f.number, "userError": f.number != 500}
	if f.number == 0 {
		extensions["statusCode"] = 400
	}
	if f.status != 200 {
		extensions["http"] = map[string]any{"status": f.status}
	}
	if why == nil {
		extensions["userPresentableMessage"] = "Something went wrong."
		return message, extensions
	}
	message, detail = why.Detail, why.Detail
	switch {
	case f == unauthenticated:
		message, detail = "Authentication required, not authenticated", "You need to authenticate to access this operation."
		extensions["meta"] = map[string]any{}
	case why.Reason == tracker.NotFound.Reason:
		what, _ := why.Attrs.(entity.Name)
		message, detail = "Entity not found: "+what.Kind, "Could not find referenced "+what.Kind+"."
		if why.Field != "" {
			message += ": " + why.Field + " contained an entry that could not be found."
		}
	case why.Reason == tracker.Taken.Reason:
		what, _ := why.Attrs.(entity.Name)
		message = "conflict on insert of " + what.Kind
	case why.Reason == tracker.BadArgument.Reason:
		message = "Argument Validation Error"
		extensions["validationErrors"] = []any{map[string]any{"property": why.Field, "constraints": map[string]any{constraintOf(why.Detail): why.Detail}}}
	case why.Reason == tracker.BadInput.Reason:
		if phrase, ok := why.Attrs.(tracker.Phrase); ok {
			message = string(phrase)
		}
	case why.Reason == TooComplex.Reason:
		message = TooComplex.Detail
	case why.Reason == RateLimited.Reason:
		message = RateLimited.Detail
	}
	extensions["userPresentableMessage"] = detail
	return message, extensions
}

// constraints are upstream's names of the rules for values, by a part of their texts.
var constraints = []struct{ text, name string }{
	{"must not be greater than", "max"}, {"must not be less than", "min"}, {"must be shorter than or equal to", "maxLength"},
	{"should not be empty", "isNotEmpty"}, {"must contain no more than", "arrayMaxSize"}, {"must be a UUID", "isUuid"},
}

func constraintOf(detail string) string {
	for _, c := range constraints {
		if strings.Contains(detail, c.text) {
			return c.name
		}
	}
	return "isValid"
}

// WriteError replies to a request that was not executed.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f, why := formOf(err)
	if why == nil && !httpkit.IsInjected(err) {
		h.d.Log.Error("a GraphQL request failed", "request_id", obs.RequestID(r.Context()), "error", err)
	}
	httpkit.SetRetryAfter(w, err)
	message, extensions := describe(f, why)
	raw, _ := json.Marshal(map[string]any{"errors": []any{map[string]any{"message": message, "extensions": extensions}}})
	httpkit.WriteRaw(w, f.status, raw)
}

// stageCodes are the codes of documents that are not executed.
var stageCodes = map[engine.Stage]string{engine.Parsing: "GRAPHQL_PARSE_FAILED", engine.Validating: "GRAPHQL_VALIDATION_FAILED",
	engine.Choosing: "OPERATION_RESOLUTION_FAILURE", engine.Coercing: "BAD_USER_INPUT"}

func reject(w http.ResponseWriter, r *engine.Rejection) {
	for _, e := range r.Errors {
		e.Extensions = map[string]any{"type": "graphql error", "code": stageCodes[r.Stage], "statusCode": 400, "userError": true,
			"userPresentableMessage": e.Message, "http": map[string]any{"status": 400}}
	}
	httpkit.WriteRaw(w, http.StatusBadRequest, r.AppendJSON(nil))
}

// statusOf returns the status of a reply with errors: that of the first error
// with its own status.
func statusOf(errs []*engine.Error) int {
	for _, e := range errs {
		if e.Cause == nil {
			continue
		}
		if f, _ := formOf(e.Cause); f.status != http.StatusOK {
			return f.status
		}
	}
	return http.StatusOK
}
