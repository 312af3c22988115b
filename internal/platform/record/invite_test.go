package record

import (
	"strings"
	"testing"
)

// Tokens of the tracker's invitations are secrets: in the reply that shows
// one, in its address, and in the sign-up that uses it.
func TestInvitationTokensAreHidden(t *testing.T) {
	const token = "trk_inv_AbCdEf0123456789"
	for _, text := range []string{`{"inviteToken":"` + token + `"}`, `{"token":"` + token + `","url":"http://h/tracker/join?token=` + token + `"}`, `{"inviteToken":"not-of-our-form"}`} {
		text = string(redact([]byte(text)))
		if strings.Contains(text, token) || strings.Contains(text, "not-of-our-form") {
			t.Errorf("kept %s", text)
		}
	}
}
