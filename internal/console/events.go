package console

import (
	"net/http"
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbox"
)

// eventReply is an event of a service.
type eventReply struct {
	Seq        int64           `json:"seq"`
	Service    string          `json:"service"`
	Type       string          `json:"type"`
	Key        string          `json:"key" description:"What it is about: events of one key keep their order."`
	At         time.Time       `json:"at" description:"On the environment's clock."`
	Cause      *causeReply     `json:"cause" description:"The request that caused it; null for work in the background."`
	Deliveries []eventDelivery `json:"deliveries"`
}

// eventDelivery is a delivery in the reply for its event.
type eventDelivery struct {
	ID          string        `json:"id"`
	Destination string        `json:"destination"`
	Status      outbox.Status `json:"status"`
	Attempts    int           `json:"attempts"`
}

func (n *names) event(e outbox.EventDetail) eventReply {
	out := eventReply{Seq: e.Seq, Service: e.Service, Type: e.Type, Key: e.Key, At: time.UnixMicro(e.At).UTC(),
		Cause: n.eventCause(e.Cause, e.RequestID), Deliveries: showDeliveries(e.Deliveries)}
	return out
}

func showDeliveries(list []outbox.Delivery) []eventDelivery {
	out := make([]eventDelivery, len(list))
	for i := range list {
		d := &list[i]
		out[i] = eventDelivery{d.PublicID(), d.Destination, d.Status, d.Attempts}
	}
	return out
}

// listEvents replies with the events of an environment, newest first.
func listEvents(c *Console, w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	q := r.URL.Query()
	f := outbox.EventFilter{Service: q.Get("service"), Type: q.Get("type")}
	if err := checkService(c, f.Service); err != nil {
		return err
	}
	if !httpkit.IsText(f.Type) {
		return environment.BadValue.At("type").Detailf("must be a text")
	}
	return serveList(w, r, "event", "events", newestFirst(func(before int64, limit int) ([]outbox.EventDetail, error) {
		f.Before, f.Limit = before, limit
		return env.Outbox.Events(r.Context(), f)
	}), func(e *outbox.EventDetail) string { return strconv.FormatInt(e.Seq, 10) }, namesIn(r.Context(), env).event)
}
