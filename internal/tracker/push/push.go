// Package push sends the tracker's webhooks and realtime messages: bodies,
// headers and signatures, and the messages to connected clients. It contains no
// SQL; the rules of package tracker decide who receives what.
package push

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/realtime"
	"understudy/internal/tracker"
)

// timeout is how long a receiver may take to reply.
const timeout = 5 * time.Second

// Deliveries returns the dialect in which the outbox delivers events to webhooks.
func Deliveries(t *tracker.Tracker, log *slog.Logger) *outbox.Dialect {
	return &outbox.Dialect{
		Render: func(ctx context.Context, d outbox.Delivery, e outbox.Event) (outbound.Request, error) {
			hook, err := t.Hook(ctx, e.Tenant, d.Destination)
			if err != nil {
				return outbound.Request{}, err
			}
			if hook == nil {
				return outbound.Request{}, outbox.Gone
			}
			return request(hook, d.PublicID(), e.Payload)
		},
		Final: func(outbound.Reply) bool { return false },
		Finished: func(ctx context.Context, hook string, delivered bool) {
			off, err := t.DeliveryEnded(ctx, hook, delivered)
			if err != nil {
				log.Error("the outcome of a delivery could not be counted", "webhook", hook, "error", err)
			} else if off {
				log.Warn("a webhook was disabled, because its deliveries failed one after another", "webhook", hook)
			}
		},
		Retries: []time.Duration{time.Minute, time.Hour, 6 * time.Hour},
	}
}

// request returns a delivery whose body is signed now: receivers reject a
// timestamp that is a minute old. The timestamp is real time.
func request(hook *tracker.Webhook, delivery string, payload json.RawMessage) (outbound.Request, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return outbound.Request{}, err
	}
	now := strconv.FormatInt(clock.Real().UnixMilli(), 10)
	body := append([]byte{}, payload[:len(payload)-1]...)
	body = append(body, `,"webhookTimestamp":`+now+`,"webhookId":"`+hook.ID+`"}`...)
	signature := Sign(hook.Secret, body)
	return outbound.Request{URL: hook.URL, Body: body, Timeout: timeout, Secrets: []string{hook.Secret}, Header: map[string]string{
		"Content-Type": "application/json; charset=utf-8", "User-Agent": "Understudy-Tracker-Webhook",
		"Tracker-Signature": signature, "Linear-Signature": signature,
		"Tracker-Delivery": uuidOf(delivery), "Linear-Delivery": uuidOf(delivery),
		"Tracker-Event": head.Type, "Linear-Event": head.Type, "Linear-Timestamp": now}}, nil
}

// Sign returns the signature of a body, byte for byte.
func Sign(secret string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// uuidOf returns the id of a delivery as a UUID, as receivers expect; it is the
// same on each attempt.
func uuidOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return ids.FormatUUID(ids.AsVersion4([16]byte(sum[:16])))
}

// errUnauthenticated is a refusal whose reason is shown to the client.
var errUnauthenticated = fault.New(fault.Unauthenticated, "Authentication required", "")

// Rules returns the realtime rules for the tracker's clients: a room for each
// organization, and one for each user, for events with a restricted audience.
func Rules(t *tracker.Tracker) realtime.Rules {
	return realtime.Rules{
		Service: tracker.Service,
		Admit: func(ctx context.Context, token string) (realtime.Client, error) {
			p, err := t.Authenticate(ctx, token)
			if err == nil {
				err = t.Read(ctx, p, func(*tracker.View) error { return nil })
			}
			if err != nil {
				return realtime.Client{}, errUnauthenticated
			}
			return realtime.Client{Subject: p.Tenant + "/" + p.Subject, Grant: p}, nil
		},
		Rooms: func(_ context.Context, c realtime.Client) ([]string, error) {
			p := c.Grant.(*auth.Principal)
			return []string{"org:" + p.Tenant, userRoom(p.Tenant, p.Subject)}, nil
		},
		Ended: auth.Ended,
		Emissions: func(e outbox.Event) []realtime.Emission {
			rooms := []string{"org:" + e.Tenant}
			if e.Audience.Users != nil {
				rooms = rooms[:0]
				for _, id := range e.Audience.Users {
					rooms = append(rooms, userRoom(e.Tenant, id))
				}
			}
			if len(rooms) == 0 {
				return nil
			}
			return []realtime.Emission{{Rooms: rooms, Name: e.Type, Payload: e.Payload}}
		},
	}
}

func userRoom(org, user string) string { return "user:" + org + "/" + user }
