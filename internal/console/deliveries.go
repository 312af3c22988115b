package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbox"
)

func (c *Console) deliveryRoutes() {
	c.handle("GET /admin/v1/environments/{env}/deliveries", c.inside(c.deliveries), "limit", "cursor", "service", "destination", "status")
	c.handle("GET /admin/v1/environments/{env}/deliveries/{id}", c.inside(c.delivery))
	c.handle("POST /admin/v1/environments/{env}/deliveries/{id}/replay", c.inside(c.replay))
	c.handle("POST /admin/v1/environments/{env}/deliveries/replay", c.inside(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		return replayAll(c, w, r, env)
	}))
}

type deliveryReply struct {
	ID            string          `json:"id"`
	Service       string          `json:"service"`
	Destination   string          `json:"destination"` // the service's id of the subscription or webhook
	Tenant        string          `json:"tenant"`
	Event         string          `json:"event"` // its type
	URL           string          `json:"url"`   // of the last attempt, or else of the next
	Status        outbox.Status   `json:"status"`
	Reason        *string         `json:"reason" description:"How the last attempt failed, as its outcome; fault for a delivery that a fault rule has lost; null for one that did not fail."`
	CreatedAt     time.Time       `json:"created_at"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"` // null unless pending
	RequestID     string          `json:"request_id"`      // of the request that caused the event
	EventSeq      int64           `json:"event_seq"`
	Cause         *causeReply     `json:"cause" description:"The request that caused the event; null for work in the background."`
	Fault         *faultNote      `json:"fault" description:"What a fault rule did to it last; null for nothing."`
	Attempts      []attemptReply  `json:"attempts"`
	Body          json.RawMessage `json:"body,omitempty"` // of a single delivery: the body to send, while its destination exists
}

type attemptReply struct {
	Number     int       `json:"number"`
	At         time.Time `json:"at"`
	URL        string    `json:"url"`
	Outcome    string    `json:"outcome"`
	Status     *int      `json:"status"` // null without a reply
	DurationMS float64   `json:"duration_ms"`
	Error      string    `json:"error"`
	Reply      string    `json:"response_body"`
}

func (n *names) delivery(d outbox.Detail) deliveryReply {
	out := deliveryReply{ID: d.PublicID(), Service: d.Service, Destination: d.Destination, Tenant: d.Event.Tenant, Event: d.Event.Type,
		Status: d.Status, CreatedAt: time.UnixMicro(d.Event.At).UTC(), RequestID: d.Event.RequestID, Attempts: make([]attemptReply, len(d.Tried))}
	out.EventSeq, out.Cause = d.Event.Seq, n.eventCause(d.Event.Cause, d.Event.RequestID)
	if d.Reason != "" {
		out.Reason = &d.Reason
	}
	if d.Status == outbox.Pending {
		due := time.UnixMicro(d.Due).UTC()
		out.NextAttemptAt = &due
	}
	if id, do, ok := strings.Cut(d.Fault, " "); ok {
		answered := strings.HasPrefix(do, "error") && d.Status != outbox.Delivered // by the rule, in place of the receiver
		out.Fault = &faultNote{ID: id, Do: do, Committed: len(d.Tried) > 0 && !answered}
	}
	for i, a := range d.Tried {
		out.URL = a.URL
		out.Attempts[i] = attemptReply{Number: a.Number, At: time.UnixMicro(a.At).UTC(), URL: a.URL, Outcome: string(a.Outcome),
			DurationMS: float64(a.Took.Microseconds()) / 1000, Error: a.Error, Reply: a.Reply}
		if a.Status > 0 {
			out.Attempts[i].Status = &a.Status
		}
	}
	if d.Request != nil {
		if out.URL == "" {
			out.URL = d.Request.URL
		}
		if json.Valid(d.Request.Body) {
			out.Body = d.Request.Body
		}
	}
	return out
}

// deliveryFilter returns a filter of deliveries; empty texts select all.
func deliveryFilter(c *Console, service, destination, status string) (outbox.Filter, error) {
	f := outbox.Filter{Service: service, Destination: destination, Status: outbox.Status(status)}
	switch f.Status {
	case "", outbox.Pending, outbox.Delivered, outbox.Failed, outbox.Cancelled:
	default:
		return f, environment.BadValue.At("status").Detailf("must be pending, delivered, failed or cancelled")
	}
	if !httpkit.IsText(f.Destination) {
		return f, environment.BadValue.At("destination").Detailf("must be a text")
	}
	return f, checkService(c, f.Service)
}

func (c *Console) deliveries(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	q := r.URL.Query()
	f, err := deliveryFilter(c, q.Get("service"), q.Get("destination"), q.Get("status"))
	if err != nil {
		return err
	}
	return serveList(w, r, "delivery", "deliveries", newestFirst(func(before int64, limit int) ([]outbox.Detail, error) {
		f.Before, f.Limit = before, limit
		return env.Outbox.List(r.Context(), f)
	}), func(d *outbox.Detail) string { return strconv.FormatInt(d.ID, 10) }, namesIn(r.Context(), env).delivery)
}

func (c *Console) delivery(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	return c.oneDelivery(w, r, env, http.StatusOK, (*outbox.Outbox).Get)
}

func (c *Console) oneDelivery(w http.ResponseWriter, r *http.Request, env *environment.Environment, status int,
	act func(*outbox.Outbox, context.Context, int64) (outbox.Detail, error)) error {
	id, err := outbox.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	d, err := act(env.Outbox, r.Context(), id)
	if err != nil {
		return err
	}
	one := namesIn(r.Context(), env).delivery(d)
	httpkit.WriteJSON(w, status, struct {
		deliveryReply
		Noun deliveryReply `json:"delivery"` // the same under its noun, as in the other planes
	}{one, one})
	return nil
}
