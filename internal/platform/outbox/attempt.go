package outbox

import (
	"context"
	"errors"
	"maps"
	"time"

	"understudy/internal/platform/inject"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// result is the outcome of a delivery attempt.
type result struct {
	delivery Delivery // as it was when sent
	attempt  *Attempt // nil when nothing was sent
	status   Status
	tries    int
	attempts int
	due      int64
	reason   string
	fault    string     // what a fault rule did; "" for none
	again    []*Attempt // further attempts, when a fault rule duplicates the delivery
	passing  int        // how many deliveries of its destination may overtake it
	met      bool       // a fault rule has delayed it
	owed     *inject.Do // the effect of fault rules when it is due; nil for none
}

// made returns all attempts in order.
func (r *result) made() []*Attempt {
	if r.attempt == nil {
		return nil
	}
	return append([]*Attempt{r.attempt}, r.again...)
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// deliver sends the deliveries of a lane one after another, up to the first that
// fails. The result does not contain those that were not tried.
func (c *courier) deliver(ctx context.Context, batch []Delivery) (list []*result) {
	events, err := c.events(ctx, batch)
	if err != nil {
		if ctx.Err() == nil {
			c.o.Log.Error("events could not be read", "destination", c.at.destination, "error", err)
			list = append(list, later(batch[0], c.o.Clock.Micros()+time.Second.Microseconds()))
		}
		return list
	}
	for _, d := range batch {
		r := c.try(ctx, d, events[d.Seq()])
		if r == nil {
			break
		}
		list = append(list, r)
		if r.status == Pending || r.status == Failed {
			break
		}
	}
	return list
}

// longestPass is the longest wait of a delivery that a rule puts behind others,
// on the environment's clock.
const longestPass = int64(time.Hour / time.Microsecond)

// later returns the result of a delivery that was not tried.
func later(d Delivery, due int64) *result {
	return &result{delivery: d, status: Pending, tries: d.Tries, attempts: d.Attempts, due: due, reason: d.Reason}
}

// events returns the events of deliveries, by number. It reads those that are not
// in memory; deleted ones are missing.
func (c *courier) events(ctx context.Context, batch []Delivery) (map[int64]Event, error) {
	events := make(map[int64]Event, len(batch))
	var seqs []int64
	for i := range batch {
		if e := batch[i].event; e != nil {
			events[e.Seq] = *e
		} else {
			seqs = append(seqs, batch[i].Seq())
		}
	}
	if len(seqs) == 0 {
		return events, nil
	}
	err := c.o.World.Read(ctx, func(tx *store.Tx) error {
		found, err := eventsAt(tx, seqs)
		maps.Copy(events, found)
		return err
	})
	return events, err
}

func (c *courier) render(ctx context.Context, d Delivery) (outbound.Request, Event, error) {
	events, err := c.events(ctx, []Delivery{d})
	if err != nil {
		return outbound.Request{}, Event{}, err
	}
	e, ok := events[d.Seq()]
	if !ok {
		return outbound.Request{}, e, Gone
	}
	req, err := c.dialect.Render(ctx, d, e)
	return req, e, err
}

// try makes one attempt. It returns nil if the environment closes meanwhile.
func (c *courier) try(ctx context.Context, d Delivery, event Event) *result {
	r := &result{delivery: d, status: Cancelled, tries: d.Tries, attempts: d.Attempts, due: d.Due, reason: d.Reason, fault: d.Fault}
	if event.Seq == 0 {
		return r
	}
	req, err := c.dialect.Render(ctx, d, event)
	if errors.Is(err, Gone) {
		return r
	}
	if err != nil {
		c.o.Log.Error("a delivery could not be rendered", "destination", c.at.destination, "error", err)
		return later(d, c.o.Clock.Micros()+time.Minute.Microseconds())
	}
	req.Repeatable = true
	if event.Trace != "" {
		req.Header = maps.Clone(req.Header)
		if req.Header == nil {
			req.Header = map[string]string{}
		}
		req.Header["traceparent"] = event.Trace
	}
	at := c.o.Clock.Micros()
	var do inject.Do
	if d.owed != nil {
		do = *d.owed
	}
	if c.o.Faults.OnDeliveries() && !d.met {
		if f := c.o.Faults.MeetDelivery(inject.Delivery{Service: d.Service, Event: event.Type, Destination: d.Destination, URL: req.URL}); f != nil {
			r.fault = f.ID + " " + f.Name
			if f.Do != nil {
				do = *f.Do
			}
			if f.Delay > 0 {
				put := later(d, at+f.Delay.Microseconds())
				put.fault, put.met, put.owed = r.fault, true, f.Do
				return put
			}
		}
	}
	switch {
	case do.Lose:
		r.status, r.reason, r.due = Failed, "fault", at
		return r
	case do.Reorder > 0:
		put := later(d, at+longestPass)
		put.fault, put.met, put.passing = r.fault, true, do.Reorder
		return put
	}
	send := func() outbound.Reply {
		if do.Error != nil {
			return outbound.Reply{Outcome: outbound.Answered, Status: do.Error.Status}
		}
		return c.o.Client.Queue(ctx, req)
	}
	attempt := func(number int, reply outbound.Reply) *Attempt {
		return &Attempt{Number: number, At: at, URL: record.Redact(req.URL), Outcome: reply.Outcome, Status: reply.Status,
			Took: reply.Took, Error: reply.Error, Reply: record.Redact(string(reply.Body), req.Secrets...)}
	}
	reply := send()
	if ctx.Err() != nil {
		return nil
	}
	r.tries, r.attempts = d.Tries+1, d.Attempts+1
	r.attempt = attempt(r.attempts, reply)
	for range do.Duplicate {
		r.attempts++
		r.again = append(r.again, attempt(r.attempts, send()))
	}
	if reply.OK() {
		r.status, r.reason = Delivered, ""
		return r
	}
	r.reason = string(reply.Outcome)
	// Counted from the start of the attempt: a test that advances the clock as soon
	// as the receiver was called must find the next attempt due.
	now := at
	if !c.o.Clock.State().Frozen {
		now += reply.Took.Microseconds()
	}
	if r.due = c.dialect.next(r.tries, now); r.due == 0 || r.tries == 1 && c.dialect.stale(max(d.Queued, c.began), now) || c.dialect.Final(reply) {
		r.status, r.due = Failed, now
		return r
	}
	r.status = Pending
	return r
}

// next returns when to make the next attempt after a number of tries, or 0 for
// never.
func (d *Dialect) next(tries int, now int64) int64 {
	if tries > len(d.Retries) {
		return 0
	}
	return now + d.Retries[tries-1].Microseconds()
}

// stale reports whether a delivery has been held back by others for more than twice
// as long as all its retries take: it then gets only one attempt.
func (d *Dialect) stale(since, now int64) bool {
	var all time.Duration
	for _, r := range d.Retries {
		all += r
	}
	return now-since > 2*all.Microseconds()
}
