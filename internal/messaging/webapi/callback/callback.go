// Package callback sends requests to apps: the Events API with its envelope,
// signatures and retries, the handshake of a new address, and the forms of slash
// commands and interactions. It contains no SQL; the rules above decide who
// receives which event.
package callback

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
)

const (
	// timeout is how long an app may take to respond.
	timeout   = 3 * time.Second
	userAgent = "Slackbot 1.0 (+https://api.slack.com/robots)"

	jsonType = "application/json"
	// formType has no charset, because receivers compare the whole value.
	formType = "application/x-www-form-urlencoded"
)

// Sign returns the v0 signature of the exact bytes of a body.
func Sign(secret, timestamp string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte("v0:" + timestamp + ":"))
	h.Write(body)
	return "v0=" + hex.EncodeToString(h.Sum(nil))
}

// signed returns a request with headers for the current moment. The timestamp is
// real time because receivers compare it with their own clock.
func signed(url, contentType, secret string, body []byte) outbound.Request {
	now := strconv.FormatInt(clock.Real().Unix(), 10)
	return outbound.Request{URL: url, Body: body, Timeout: timeout, Header: map[string]string{
		"Content-Type": contentType, "User-Agent": userAgent, "Accept": "*/*",
		"X-Slack-Request-Timestamp": now, "X-Slack-Signature": Sign(secret, now, body)}}
}

// Deliveries returns the dialect in which the outbox delivers events to apps.
func Deliveries(s *messaging.Service) *outbox.Dialect {
	return &outbox.Dialect{
		Render: func(ctx context.Context, d outbox.Delivery, e outbox.Event) (outbound.Request, error) {
			sub, err := s.ActiveSubscription(ctx, e.Tenant, d.Destination)
			if err != nil {
				return outbound.Request{}, err
			}
			if sub == nil {
				return outbound.Request{}, outbox.Gone
			}
			token, secret := sub.Signing()
			r := signed(sub.URL, jsonType, secret, envelope(sub, token, d.Note, e))
			r.Secrets = []string{token, secret}
			if d.Tries > 0 {
				r.Header["X-Slack-Retry-Num"] = strconv.Itoa(d.Tries)
				r.Header["X-Slack-Retry-Reason"] = retryReason(outbound.Outcome(d.Reason))
			}
			return r, nil
		},
		Final:    func(r outbound.Reply) bool { return strings.TrimSpace(r.Header.Get("X-Slack-No-Retry")) == "1" },
		Finished: s.DeliveryEnded,
		Retries:  []time.Duration{time.Second, time.Minute, 5 * time.Minute},
	}
}

func retryReason(o outbound.Outcome) string {
	switch o {
	case outbound.TimedOut:
		return "http_timeout"
	case outbound.Redirected:
		return "too_many_redirects"
	case outbound.Unreachable, outbound.Broken:
		return "connection_failed"
	case outbound.TLSFailed:
		return "ssl_error"
	case outbound.Answered:
		return "http_error"
	}
	return "unknown_error"
}
