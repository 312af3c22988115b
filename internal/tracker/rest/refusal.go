package rest

import (
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// usual maps a kind of error to the code of an injected fault without a code.
var usual = map[fault.Kind]fault.Reason{
	fault.Invalid: "invalid_arguments", fault.Unauthenticated: "invalid_auth", fault.Forbidden: "forbidden", fault.NotFound: "not_found",
	fault.Conflict: "taken", fault.Unprocessable: "invalid_arguments", fault.TooLarge: "request_too_large", fault.RateLimited: "rate_limited",
	fault.Unavailable: "store_unavailable", fault.Internal: "internal_error",
}

// Refusal returns the error with which WriteError replies with a status. The
// control plane does not have the codes of the GraphQL endpoint.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	if code != "" {
		return nil, 0
	}
	kind := httpkit.KindOf(status)
	return fault.New(kind, usual[kind], "The request was refused."), status
}
