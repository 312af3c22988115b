package control

import (
	"net/http"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// ownCodes are the codes that the control plane has beside those of the data plane.
var ownCodes = []string{
	"app_not_found", "command_failed", "command_not_found", "command_taken", "domain_taken", "email_taken", "expired_url",
	"interaction_failed", "interactivity_not_configured", "invalid_command", "invalid_credentials", "invalid_domain",
	"invalid_email", "invalid_manifest", "invalid_payload", "invalid_ts", "invalid_url", "invitation_not_found",
	"method_not_allowed", "no_workspace", "not_found", "not_provisioned", "provisioned_app", "rate_limited",
	"subscription_not_found", "too_many_waits", "unknown_event_type", "used_url", "weak_password", "webhook_not_found",
	"workspace_not_found",
}

// usual holds the codes that go with a kind of refusal when nobody names one.
var usual = map[fault.Kind]string{
	fault.Invalid: "invalid_arguments", fault.Unauthenticated: "invalid_auth", fault.Forbidden: "missing_scope", fault.NotFound: "not_found",
	fault.Conflict: "name_taken", fault.Unprocessable: "invalid_arguments", fault.TooLarge: "request_too_large", fault.RateLimited: "rate_limited",
	fault.Unavailable: "service_unavailable", fault.Internal: "internal_error",
}

// Codes returns the codes that the control plane has of its own, sorted.
func Codes() []string { return slices.Clone(ownCodes) }

// Refusal returns the error that WriteError answers with a code, and the status
// that it has.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	kind := httpkit.KindOf(status)
	if code == "" {
		code = usual[kind]
	}
	if kind == fault.Internal && status != http.StatusInternalServerError {
		kind = fault.Unavailable
	}
	return fault.New(kind, fault.Reason(code), ""), status
}
