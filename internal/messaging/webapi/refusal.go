package webapi

import (
	"maps"
	"net/http"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// usual holds the codes that go with a status when nobody names one.
var usual = map[int]string{
	http.StatusBadRequest: "invalid_arguments", http.StatusUnauthorized: "invalid_auth", http.StatusForbidden: "missing_scope",
	http.StatusNotFound: "unknown_method", http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "ratelimited",
	http.StatusServiceUnavailable: "service_unavailable",
}

// Codes returns the codes that the data plane answers with, sorted.
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

// Refusal returns the error that WriteError answers with a code, and the status
// that it has. It returns nil for a code that the data plane does not have.
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
