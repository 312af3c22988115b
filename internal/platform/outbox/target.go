package outbox

import (
	"encoding/json"
	"fmt"
)

// Target is a destination to which an event is delivered.
type Target struct {
	Destination string // an id of the service
	Note        string // passed to Render
}

// targets are the targets of one event. The index of a target is part of its
// delivery's id.
type targets []Target

// text returns the form for the table of events; "" for none.
func (ts targets) text() string {
	if len(ts) == 0 {
		return ""
	}
	flat := make([]string, 0, 2*len(ts))
	for _, t := range ts {
		flat = append(flat, t.Destination, t.Note)
	}
	b, _ := json.Marshal(flat) // strings only: it cannot fail
	return string(b)
}

func parseTargets(text string) (targets, error) {
	var flat []string
	if err := json.Unmarshal([]byte(text), &flat); err != nil || len(flat)%2 != 0 {
		return nil, fmt.Errorf("the targets of an event are %.100q: %w", text, err)
	}
	out := make(targets, len(flat)/2)
	for i := range out {
		out[i] = Target{flat[2*i], flat[2*i+1]}
	}
	return out, nil
}

// mark returns a text that the text of targets contains if a destination may be
// among them.
func mark(destination string) string {
	b, _ := json.Marshal(destination)
	return string(b)
}

// queued is the part of an event that delivery needs.
type queued struct {
	seq     int64
	service string
	key     string
	at      int64
	targets targets
}

// delivery returns the pending delivery to the target of a number.
func (t *queued) delivery(number int) Delivery {
	to := t.targets[number]
	return Delivery{ID: t.seq<<placeBits | int64(number), Service: t.service, Destination: to.Destination, Note: to.Note,
		Status: Pending, Queued: t.at, Due: t.at, key: t.key}
}
