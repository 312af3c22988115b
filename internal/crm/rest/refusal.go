package rest

import (
	"maps"
	"net/http"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// usual holds the default messages of injected faults.
var usual = map[fault.Kind]string{
	fault.Invalid: "Invalid input JSON on line 1, column 1.", fault.Forbidden: "You do not have permissions to do this.",
	fault.NotFound: "resource not found", fault.Conflict: "The record already exists.", fault.Unavailable: "The service is not available.",
	fault.Unauthenticated: noCredentials, fault.Unprocessable: "The request is not valid.", fault.TooLarge: httpkit.TooLarge.Detail,
}

// Codes returns the error categories, sorted.
func Codes() []string {
	known := map[string]bool{"INTERNAL_ERROR": true}
	for _, f := range forms {
		known[f.category] = true
	}
	for _, f := range kindForms {
		known[f.category] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// Refusal returns the error that WriteError writes with a category, and its
// status. It returns nil for an unknown category.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	kind := httpkit.KindOf(status)
	e := fault.New(kind, "", usual[kind])
	switch {
	case code == "" && kind == fault.RateLimited, code == kindForms[fault.RateLimited].category:
		return errWindow, status
	case code == "", code == kindForms[kind].category, kind == fault.Internal && code == "INTERNAL_ERROR":
		return e, status
	}
	for _, reason := range slices.Sorted(maps.Keys(forms)) { // several reasons may have the same category and form
		if forms[reason].category == code {
			return fault.New(kind, reason, usual[kind]), status
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kindForms)) {
		if kindForms[k].category == code {
			return fault.New(k, "", usual[k]), status
		}
	}
	if code == "INTERNAL_ERROR" {
		return fault.New(fault.Internal, "", ""), http.StatusInternalServerError
	}
	return nil, 0
}
