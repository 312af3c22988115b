package webapi

import (
	"strings"
	"testing"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/fault/faulttest"
)

// TestEveryReasonHasAWireForm walks what the rules, the reader of arguments and
// auth may refuse with, and fails for a reason that the envelope does not know.
func TestEveryReasonHasAWireForm(t *testing.T) {
	elsewhere := map[string]bool{ // of the control plane alone
		"domain_taken": true, "invalid_domain": true, "invalid_manifest": true, "app_not_found": true,
		"email_taken": true, "invalid_credentials": true, "invalid_email": true, "weak_password": true, "not_provisioned": true,
		"subscription_not_found": true, "unknown_event_type": true, "invalid_url": true, "webhook_not_found": true,
		"command_not_found": true, "command_taken": true, "invalid_command": true, "interactivity_not_configured": true,
		"invalid_payload": true, "used_url": true, "expired_url": true, "invitation_not_found": true, "provisioned_app": true,
		"too_many_waits": true,
	}
	n := 0
	for _, dir := range []string{"..", ".", "args", "../blockkit", "../../platform/auth"} {
		for _, reason := range faulttest.Reasons(t, dir) {
			n++
			name, _ := code(fault.New(fault.Invalid, fault.Reason(reason), ""))
			if name == "internal_error" && !elsewhere[reason] {
				t.Errorf("%s: %q has no wire form: add it to codes in errors.go", dir, reason)
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d reasons were found: the walk is broken", n)
	}
}

// TestTheTableIsWhole holds the table against the specification: 27 methods,
// with the tiers that it names and a scope on each but auth.test.
func TestTheTableIsWhole(t *testing.T) {
	if len(methods) != 27 {
		t.Errorf("%d methods, want 27", len(methods))
	}
	named := map[string]tier{"reactions.remove": tier2, "users.setPresence": tier2, "conversations.members": tier3,
		"auth.test": tier4, "chat.postMessage": special}
	for name, m := range methods {
		if want, ok := named[name]; ok && m.tier != want {
			t.Errorf("%s has tier %d, want %d", name, m.tier, want)
		}
		if m.run == nil || m.summary == "" {
			t.Errorf("%s lacks its handler or summary", name)
		}
		if name != "auth.test" && len(m.scopes) == 0 && len(m.kinds) == 0 {
			t.Errorf("%s needs no scope", name)
		}
		for _, scope := range strings.Split(m.accepted(), ",") {
			if scope != "" && !strings.Contains(strings.Join(append(BotScopes, UserScopes...), ","), scope) {
				t.Errorf("%s takes %s, which neither default token holds", name, scope)
			}
		}
	}
}
