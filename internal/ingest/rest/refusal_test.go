package rest

import (
	"maps"
	"slices"
	"testing"

	"understudy/internal/platform/fault/faulttest"
)

// Fault rules can reply with every error code of the service, and with no other.
func TestCodesAreThoseOfRefusals(t *testing.T) {
	reasons := slices.Collect(maps.Values(usual))
	reasons = append(reasons, faulttest.Reasons(t, "..", ".", "../otlp", "../../platform/httpkit", "../../platform/page")...)
	if !slices.IsSorted(codes) {
		t.Error("the codes are not sorted")
	}
	for _, code := range codes {
		if !slices.Contains(reasons, code) {
			t.Errorf("nothing is refused with %q", code)
		}
	}
	for _, reason := range faulttest.Reasons(t, "..", ".") {
		if !slices.Contains(codes, reason) {
			t.Errorf("%q is the code of a refusal and can be named by no fault rule: add it to codes", reason)
		}
	}
}
