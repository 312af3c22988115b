package rest

import (
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// codes are the codes of the API's errors, sorted.
var codes = []string{
	"api_key_not_found", "body_too_large", "event_not_found", "event_too_large", "forbidden", "insufficient_scope",
	"internal_error", "invalid_json", "invalid_request", "method_not_allowed", "not_found", "project_not_found", "rate_limited",
	"session_not_found", "temporarily_unavailable", "too_many_events", "unauthorized", "unsupported_media_type", "user_not_found",
	"validation_failed",
}

// usual contains the code of each kind of error, for errors without a code of their
// own.
var usual = map[fault.Kind]string{
	fault.Invalid: "invalid_request", fault.Unauthenticated: "unauthorized", fault.Forbidden: "forbidden", fault.NotFound: "not_found",
	fault.Conflict: "invalid_request", fault.Unprocessable: "validation_failed", fault.TooLarge: "body_too_large", fault.RateLimited: "rate_limited",
	fault.Unavailable: "temporarily_unavailable", fault.Internal: "internal_error",
}

// Codes returns the codes of the API's errors, sorted.
func Codes() []string { return slices.Clone(codes) }

// Refusal returns an error with a code, or with the usual code of the status if code
// is "", and the status. It returns nil and 0 for an unknown code.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	kind := httpkit.KindOf(status)
	if code == "" {
		code = usual[kind]
	}
	if !slices.Contains(codes, code) {
		return nil, 0
	}
	if fault.Reason(code) == busy.Reason {
		return busy, status
	}
	return fault.New(kind, fault.Reason(code), "The request was refused."), status
}
