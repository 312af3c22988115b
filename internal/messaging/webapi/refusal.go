package webapi

import (
	"maps"
	"net/http"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// usual maps a status to the code of an injected fault without a code.
var usual = map[int]string{
	http.StatusBadRequest: "invalid_arguments", http.StatusUnauthorized: "invalid_auth", http.StatusForbidden: "missing_scope",
	http.StatusNotFound: "unknown_method", http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "ratelimited",
	http.StatusServiceUnavailable: "service_unavailable",
}

// Codes returns the error codes of the data plane, sorted.
func Codes() []string {
	known := map[string]bool{"internal_error": true}
	for reason := range codes {
		known[string(reason)] = true
	}
	for _, code := range renamed {
		known[code] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// Refusal returns the error that WriteError writes with a code, and its status.
// It returns nil for an unknown code.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	if code == "" {
		if code = usual[status]; code == "" {
			code = "internal_error"
		}
	}
	reason := fault.Reason(code)
	for r, name := range renamed {
		if name == code && !codes[reason] {
			reason = r
		}
	}
	if !codes[reason] && renamed[reason] == "" && code != "internal_error" {
		return nil, 0
	}
	kind := httpkit.KindOf(status)
	if status < http.StatusBadRequest {
		kind = fault.Invalid
	}
	return fault.New(kind, reason, ""), status
}
