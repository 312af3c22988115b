package console

import (
	"context"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
)

// effectsReply is the effects of a request.
type effectsReply struct {
	Changes []changeEffect `json:"changes"`
	Events  []eventEffect  `json:"events"`
	Calls   []callEffect   `json:"calls" description:"The requests that were made in its course, by a tool."`
}

type changeEffect struct {
	Op      string  `json:"op" enum:"insert,update,delete"`
	Service string  `json:"service"`
	Entity  string  `json:"entity"`
	Key     *string `json:"key" description:"null where the database does not know which row it was."`
}

type eventEffect struct {
	Seq        int64           `json:"seq"`
	Service    string          `json:"service"`
	Type       string          `json:"type"`
	Key        string          `json:"key"`
	Deliveries []eventDelivery `json:"deliveries"`
}

type callEffect struct {
	Seq        int64    `json:"seq"`
	Operations []string `json:"operations"`
	Status     int      `json:"status"`
}

// maxEffects is how many events, and how many later requests, are searched.
const maxEffects = 1000

// effectsOf returns the effects of a request, as far as they are still known.
func effectsOf(ctx context.Context, clones *clone.Cloner, env *environment.Environment, seq int64) (*effectsReply, error) {
	out := &effectsReply{[]changeEffect{}, []eventEffect{}, []callEffect{}}
	found, err := clone.Effects(ctx, clones, env, env.Journal.Effects(seq))
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		out.Changes = append(out.Changes, showChange(x))
	}
	events, err := env.Outbox.Events(ctx, outbox.EventFilter{Cause: seq, Limit: maxEffects})
	if err != nil {
		return nil, err
	}
	for i := len(events) - 1; i >= 0; i-- {
		out.Events = append(out.Events, showEvent(&events[i]))
	}
	for _, x := range env.Recorder.List(record.Filter{After: seq, Ascending: true, Limit: maxEffects}) {
		if x.Parent == seq {
			out.Calls = append(out.Calls, callEffect{x.Seq, operationsOf(&x), x.Status})
		}
	}
	return out, nil
}

func showChange(x diff.EffectOn) changeEffect {
	return changeEffect{x.Op, x.Service, x.Entity, textOrNull(x.Key)}
}

func showEvent(e *outbox.EventDetail) eventEffect {
	return eventEffect{e.Seq, e.Service, e.Type, e.Key, showDeliveries(e.Deliveries)}
}
