package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
)

const (
	streamStep  = 250 * time.Millisecond // interval of checks for new things
	streamIdle  = 15 * time.Second       // time after which a comment is sent
	streamStall = 10 * time.Second       // time after which a reader that does not read is disconnected
	streamMost  = 200                    // most things of a topic sent at a time, the newest
)

// topics are the topics of streams.
var topics = []string{"requests", "deliveries", "events", "clock", "lifecycle"}

// EndStreams ends the streams of the admin plane, so that the program can end.
func (c *Console) EndStreams() { c.endOnce.Do(func() { close(c.ending) }) }

// stream sends what happens in an environment as server-sent events. It does not
// keep the environment open: it may be reset or deleted meanwhile.
func stream(c *Console, w http.ResponseWriter, r *http.Request) error {
	f := follower{id: r.PathValue("env"), topics: topics}
	if text := r.URL.Query().Get("topics"); text != "" {
		f.topics = strings.Split(text, ",")
		for _, topic := range f.topics {
			if !slices.Contains(topics, topic) {
				return environment.BadValue.At("topics").Detailf("must be some of %s", strings.Join(topics, ", "))
			}
		}
	}
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		if _, err := fmt.Sscanf(text, "%d.%d", &f.request, &f.event); err != nil || f.request < 0 || f.event < 0 {
			return environment.BadValue.At("Last-Event-ID").Detailf("must be the id of an event of this stream")
		}
		f.resumed = true
	}
	first, err := f.look(r.Context(), c)
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	send := func(b []byte) bool {
		_ = control.SetWriteDeadline(clock.Real().Add(streamStall))
		_, err := w.Write(b)
		return err == nil && control.Flush() == nil
	}
	if !send(append([]byte("retry: 1000\n\n"), first...)) {
		return nil
	}
	tick, spoke := time.NewTicker(streamStep), clock.Real()
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-c.ending:
			return nil
		case <-tick.C:
		}
		found, err := f.look(r.Context(), c)
		if errors.Is(err, environment.NotFound) {
			send(f.message(nil, "lifecycle", map[string]string{"state": "deleted"}))
			return nil
		}
		if err != nil {
			return nil // the reader reconnects, and receives the error
		}
		if found == nil && clock.Real().Sub(spoke) > streamIdle {
			found = []byte(":\n\n")
		}
		if found != nil {
			if spoke = clock.Real(); !send(found) {
				return nil
			}
		}
	}
}

// follower finds new things in an environment.
type follower struct {
	id      string
	topics  []string
	request int64 // number of the last request that was sent
	event   int64 // number of the last event that was sent
	resumed bool  // request and event were set by the reader
	begun   bool

	late       map[int64]bool // requests that were running when a later one was sent
	clock      clock.State
	env        *environment.Environment // at the last check
	deliveries map[int64]outbox.Status
}

func (f *follower) wants(topic string) bool { return slices.Contains(f.topics, topic) }

// look returns the messages about what happened since the last check, nil for
// none.
func (f *follower) look(ctx context.Context, c *Console) (out []byte, err error) {
	env, leave, err := c.d.Environments.Enter(ctx, f.id)
	if err != nil {
		return nil, err
	}
	defer leave()
	people := namesIn(ctx, env)
	if f.begun && env != f.env { // reset or restored, or closed while unused
		newest, err := env.Outbox.Events(ctx, outbox.EventFilter{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(newest) == 0 {
			f.event = 0
		} else {
			f.event = min(f.event, newest[0].Seq)
		}
		f.request, f.late = min(f.request, env.Recorder.Last()), nil
		if f.wants("lifecycle") {
			out = f.message(out, "lifecycle", map[string]string{"state": "replaced"})
		}
	}
	if state := env.Clock.State(); f.wants("clock") && f.begun && state != f.clock {
		out = f.message(out, "clock", clockReply{env.Clock.Now(), state.Frozen})
	}
	f.clock, f.env = env.Clock.State(), env
	if f.wants("requests") {
		out = f.requests(out, env, people)
	}
	if f.wants("events") {
		out, err = f.events(ctx, out, env, people)
	}
	if f.wants("deliveries") && err == nil {
		out, err = f.changedDeliveries(ctx, out, env, people)
	}
	f.begun = true
	return out, err
}

// requests appends requests that have ended, even if a later one was sent before.
func (f *follower) requests(out []byte, env *environment.Environment, people *names) []byte {
	last := env.Recorder.Last()
	if !f.begun && !f.resumed {
		f.request = last
		return out
	}
	from := f.request
	for seq := range f.late {
		from = min(from, seq-1)
	}
	if from == last {
		return out
	}
	before, found := f.request, env.Recorder.List(record.Filter{After: from, Bare: true, Limit: streamMost})
	slices.Reverse(found)
	sent := map[int64]bool{}
	for _, x := range found {
		if sent[x.Seq] = true; x.Seq <= before && !f.late[x.Seq] {
			continue
		}
		f.request = max(f.request, x.Seq)
		out = f.message(out, "requests", people.show(x))
	}
	for seq := before + 1; seq <= last; seq++ {
		if !sent[seq] && last-seq < streamMost {
			if f.late == nil {
				f.late = map[int64]bool{}
			}
			f.late[seq] = true
		}
	}
	for seq := range f.late {
		if sent[seq] || last-seq >= streamMost {
			delete(f.late, seq)
		}
	}
	f.request = last
	return out
}

func (f *follower) events(ctx context.Context, out []byte, env *environment.Environment, people *names) ([]byte, error) {
	limit := streamMost
	if !f.begun && !f.resumed {
		limit = 1
	}
	found, err := env.Outbox.Events(ctx, outbox.EventFilter{After: f.event, Limit: limit})
	for i := len(found) - 1; i >= 0; i-- {
		if f.event = found[i].Seq; f.begun || f.resumed {
			out = f.message(out, "events", people.event(found[i]))
		}
	}
	return out, err
}

// changedDeliveries appends the newest deliveries that are new or have another
// status.
func (f *follower) changedDeliveries(ctx context.Context, out []byte, env *environment.Environment, people *names) ([]byte, error) {
	found, err := env.Outbox.List(ctx, outbox.Filter{Limit: streamMost})
	known := make(map[int64]outbox.Status, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		d := &found[i]
		known[d.ID] = d.Status
		if f.begun && f.deliveries[d.ID] != d.Status {
			out = f.message(out, "deliveries", people.delivery(*d))
		}
	}
	if err == nil {
		f.deliveries = known
	}
	return out, err
}

// message appends a server-sent event.
func (f *follower) message(b []byte, topic string, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of this program always encode
	}
	return fmt.Appendf(b, "id: %d.%d\nevent: %s\ndata: %s\n\n", f.request, f.event, topic, data)
}
