package control

import (
	"slices"
	"testing"

	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/fault/faulttest"
)

// Fault rules can answer with every code that the control plane answers with, and with no other.
func TestCodesAreThoseOfRefusals(t *testing.T) {
	here := []string{"..", ".", "../webapi", "../webapi/args", "../../platform/auth", "../../platform/httpkit", "../../platform/page"}
	reasons := faulttest.Reasons(t, here...)
	if !slices.IsSorted(ownCodes) {
		t.Error("the codes are not sorted")
	}
	for _, code := range ownCodes {
		if !slices.Contains(reasons, code) {
			t.Errorf("nothing is refused with %q", code)
		}
	}
	known := slices.Concat(ownCodes, webapi.Codes())
	for _, reason := range faulttest.Reasons(t, "..", ".", "../../platform/auth") {
		if !slices.Contains(known, reason) {
			t.Errorf("%q is the code of a refusal and can be named by no fault rule: add it to ownCodes", reason)
		}
	}
}
