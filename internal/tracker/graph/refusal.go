package graph

import (
	"maps"
	"net/http"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
)

// anything is what an injected error is about.
var anything = entity.Name{Kind: "Entity"}

// usual holds the refusals of kinds when no code is named.
var usual = map[fault.Kind]*fault.Error{
	fault.Invalid: tracker.BadInput, fault.Unprocessable: tracker.BadInput, fault.Conflict: tracker.Taken.With(anything), fault.NotFound: tracker.NotFound.With(anything),
	fault.Unauthenticated: auth.Invalid, fault.Forbidden: tracker.Forbidden, fault.TooLarge: httpkit.TooLarge, fault.RateLimited: RateLimited,
}

// Codes returns the codes of errors, sorted.
func Codes() []string {
	known := map[string]bool{unavailable.code: true, internal.code: true}
	for _, f := range forms {
		known[f.code] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// Refusal returns the error for which WriteError replies with a code, and the
// status of that reply: for a spent limit 400, as upstream. It returns nil for an
// unknown code.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	kind := httpkit.KindOf(status)
	if code == unavailable.code || code == "" && kind == fault.Unavailable {
		return fault.New(fault.Unavailable, "injected", "Service unavailable"), status
	}
	if code == internal.code || code == "" && kind == fault.Internal {
		return fault.New(fault.Internal, "injected", ""), status
	}
	e := usual[kind]
	if code != "" && forms[e.Reason].code != code {
		e = nil
		for reason, f := range forms {
			if f.code == code && (e == nil || reason < e.Reason) { // so that the choice is always the same
				e = fault.New(kind, reason, "")
			}
		}
		if e == nil {
			return nil, 0
		}
	}
	if forms[e.Reason].code == forms[RateLimited.Reason].code {
		return RateLimited, http.StatusBadRequest
	}
	return e, status
}
