package control

import (
	"net/http"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// ownCodes are the error codes of the control plane that the data plane lacks.
var ownCodes = []string{
	"app_not_found", "command_failed", "command_not_found", "command_taken", "domain_taken", "email_taken", "expired_url",
	"interaction_failed", "interactivity_not_configured", "invalid_command", "invalid_credentials", "invalid_domain",
	"invalid_email", "invalid_manifest", "invalid_payload", "invalid_ts", "invalid_url", "invitation_not_found",
	"method_not_allowed", "no_workspace", "not_found", "not_provisioned", "provisioned_app", "rate_limited",
	"subscription_not_found", "too_many_waits", "unknown_event_type", "used_url", "weak_password", "webhook_not_found",
	"workspace_not_found",
}

// usual maps a kind of error to the code of an injected fault without a code.
var usual = map[fault.Kind]string{
	fault.Invalid: "invalid_arguments", fault.Unauthenticated: "invalid_auth", fault.Forbidden: "missing_scope", fault.NotFound: "not_found",
	fault.Conflict: "name_taken", fault.Unprocessable: "invalid_arguments", fault.TooLarge: "request_too_large", fault.RateLimited: "rate_limited",
	fault.Unavailable: "service_unavailable", fault.Internal: "internal_error",
}

// Codes returns the control plane's own error codes, sorted.
func Codes() []string { return slices.Clone(ownCodes) }

// Refusal returns the error that WriteError writes with a code, and its status.
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
