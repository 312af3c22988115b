package rest

import (
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// usual holds the codes that go with a kind of refusal when nobody names one.
var usual = map[fault.Kind]fault.Reason{
	fault.Invalid: "invalid_arguments", fault.Unauthenticated: "invalid_auth", fault.Forbidden: "forbidden", fault.NotFound: "not_found",
	fault.Conflict: "taken", fault.Unprocessable: "invalid_arguments", fault.TooLarge: "request_too_large", fault.RateLimited: "rate_limited",
	fault.Unavailable: "store_unavailable", fault.Internal: "internal_error",
}

// Refusal returns the error that WriteError answers with a status; the codes of
// the GraphQL endpoint are none of the control plane.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	if code != "" {
		return nil, 0
	}
	kind := httpkit.KindOf(status)
	return fault.New(kind, usual[kind], "The request was refused."), status
}
