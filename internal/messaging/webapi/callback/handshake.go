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

// VerificationFailed means that an address failed the url_verification challenge.
var VerificationFailed = fault.New(fault.Unprocessable, "url_verification_failed", "The URL did not answer the challenge.")

// Handshake verifies that an address accepts an app's events. It accepts a 200
// with the challenge as text, form or JSON, and otherwise returns
// VerificationFailed.
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

// challengeIn returns the challenge in a response body.
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
