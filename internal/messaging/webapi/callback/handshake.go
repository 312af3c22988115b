package callback

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/url"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/outbound"
)

// VerificationFailed is an address that did not answer the url_verification challenge.
var VerificationFailed = fault.New(fault.Unprocessable, "url_verification_failed", "The URL did not answer the challenge.")

// Handshake asks an address whether it wants an app's events. It accepts a 200
// with the challenge as text, as a form or as JSON, and returns VerificationFailed.
func Handshake(ctx context.Context, c *outbound.Client, address string, sec messaging.Secrets, challenge string) error {
	body := encode(struct {
		Token     string `json:"token"`
		Challenge string `json:"challenge"`
		Type      string `json:"type"`
	}{sec.VerificationToken, challenge, "url_verification"})
	reply := c.Send(ctx, signed(address, jsonType, sec.SigningSecret, body))
	switch {
	case reply.Error != "":
		return VerificationFailed.At("url").Detailf("The URL did not answer the challenge: %s.", reply.Error)
	case !reply.OK():
		return VerificationFailed.At("url").Detailf("The URL answered the challenge with status %d.", reply.Status)
	case subtle.ConstantTimeCompare([]byte(challengeIn(reply.Body)), []byte(challenge)) != 1:
		return VerificationFailed.At("url").Detailf("The URL's answer does not contain the challenge.")
	}
	return nil
}

// challengeIn finds the challenge in an answer.
func challengeIn(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("{")) {
		var v struct {
			Challenge string `json:"challenge"`
		}
		if json.Unmarshal(body, &v) != nil {
			return ""
		}
		return v.Challenge
	}
	if text := string(body); strings.HasPrefix(text, "challenge=") {
		if q, err := url.ParseQuery(text); err == nil {
			return q.Get("challenge")
		}
	}
	return string(body)
}
