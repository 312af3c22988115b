package console

import (
	"context"
	"errors"
	"net/http"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbox"
)

// mostReplays is the most deliveries that one request queues again.
const mostReplays = 1000

// replayRequest selects the deliveries to queue again, the newest first.
type replayRequest struct {
	Status      string         `json:"status" enum:"pending,delivered,failed,cancelled" description:"Those of this status; those that are not pending when left out."`
	Service     string         `json:"service"`
	Destination string         `json:"destination" description:"Id of the subscription or webhook."`
	Limit       opt.Opt[int64] `json:"limit" description:"At most so many: 1 to 1000, 1000 when left out."`
}

type replayReply struct {
	Replayed int `json:"replayed"`
	Skipped  int `json:"skipped" description:"Matching ones that were not queued: their destination is gone, or they were pending already."`
}

// replay queues a delivery again.
func (c *Console) replay(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	return c.oneDelivery(w, r, env, http.StatusAccepted, (*outbox.Outbox).Replay)
}

// replayAll queues the deliveries again that match a filter.
func replayAll(c *Console, w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	var in replayRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	f, err := deliveryFilter(c, in.Service, in.Destination, in.Status)
	if err != nil {
		return err
	}
	limit, given := in.Limit.Get()
	if !given {
		limit = mostReplays
	}
	if limit < 1 || limit > mostReplays {
		return environment.BadValue.At("limit").Detailf("must be a number from 1 to %d", mostReplays)
	}
	f.Limit = int(limit)
	out, err := replayMatching(r.Context(), env.Outbox, f)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusAccepted, out)
	return nil
}

// replayMatching queues the newest deliveries that match a filter, the oldest of
// them first, so that they are sent in the order of their events.
func replayMatching(ctx context.Context, o *outbox.Outbox, f outbox.Filter) (out replayReply, err error) {
	found, err := o.List(ctx, f)
	for i := len(found) - 1; i >= 0 && err == nil; i-- {
		d := &found[i]
		if d.Status == outbox.Pending && f.Status == "" {
			out.Skipped++
			continue
		}
		_, err = o.Replay(ctx, d.ID)
		switch {
		case err == nil:
			out.Replayed++
		case errors.Is(err, outbox.Gone) || errors.Is(err, outbox.NotFound):
			out.Skipped, err = out.Skipped+1, nil
		}
	}
	return out, err
}
