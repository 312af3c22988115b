package ingest

import (
	"math"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/jsontext"
)

// Absent is the value of a number that an event does not have.
const Absent = -1

// Event is one turn-pair or tool call. Times are milliseconds since 1970.
type Event struct {
	ID       string // a UUID in lower case; of lenient clients also other text
	Session  string // like ID
	Parent   string // id of the event that triggered this one, or ""
	Name     string // of the agent or the tool
	Type     string // kind of primitive; "" for most turn-pairs
	Model    string
	Customer string
	User     string // "" for the session's user

	Args, Result string
	Metadata     string // JSON object, or ""
	Checkpoints  string // JSON array as the agnost client sends it, or ""

	Time     int64 // as sent, otherwise the time of receipt
	Untimed  bool  // Time was not given: the operation ended at Time
	Received int64

	Success                            bool
	Covered                            bool  // a model call below it counts its tokens
	Latency, InputTokens, OutputTokens int64 // or Absent

	Scores []Score // where they are shown

	marks []Checkpoint // of a summary, whose texts no longer contain them
}

// Size returns the approximate size of an event in a reply, in bytes.
func (e *Event) Size() int {
	const rest = 700 // names of members, ids and numbers
	return rest + jsontext.Len(e.Args) + jsontext.Len(e.Result) + 2*len(e.Metadata) + 2*len(e.Checkpoints) +
		len(e.Name) + len(e.Type) + len(e.Model) + len(e.Customer) + len(e.User) + sizeOf(e.marks)
}

// Own copies the texts out of the memory of their group.
func (e *Event) Own() {
	texts := [...]*string{&e.ID, &e.Session, &e.Parent, &e.Name, &e.Type, &e.Model, &e.Customer, &e.User,
		&e.Args, &e.Result, &e.Metadata, &e.Checkpoints}
	n := 0
	for _, s := range texts {
		n += len(*s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range texts {
		b.WriteString(*s)
	}
	all := b.String()
	for _, s := range texts {
		*s, all = all[:len(*s)], all[len(*s):]
	}
}

// Start is the beginning of the operation, for drawing.
func (e *Event) Start() int64 {
	if e.Untimed && e.Latency > 0 {
		return e.Time - e.Latency
	}
	return e.Time
}

// Kinds of primitive of spans, in addition to those that clients name.
const (
	TypeAgent     = "agent"
	TypeModel     = "model" // one call of a model
	TypeTool      = "tool"
	TypeEmbedding = "embedding"
	TypeRetrieval = "retrieval"
	TypeStep      = "step" // of an agent, or a span of no known kind
)

// IsTurn reports whether the event is a turn-pair: it has no parent, and no
// kind of primitive but that of an agent.
func (e *Event) IsTurn() bool { return e.Parent == "" && (e.Type == "" || e.Type == TypeAgent) }

// IsTool reports whether events of a type of primitive are calls of a tool,
// unless they are turn-pairs. Spans of agents, models and steps are not.
func IsTool(kind string) bool { return kind != TypeAgent && kind != TypeModel && kind != TypeStep }

// Kind returns the kind as which the event is counted.
func (e *Event) Kind() Kind {
	flags := byte(0)
	if e.IsTurn() {
		flags = FlagTurn
	}
	return KindOf(flags, e.Type)
}

const (
	maxText   = 256 // bytes of a value that can be a dimension
	maxFreeID = 200 // bytes of an id that is no UUID

	oldest      = 946_684_800_000 // 2000-01-01
	futureSlack = 24 * 3600 * 1000
)

// CheckEvent validates an event, converts its ids to their stored form and fills
// in missing fields. A lenient client may leave out the event's id and use ids
// that are no UUIDs. It returns ValidationFailed, which names the field.
func (in *Ingest) CheckEvent(e *Event, lenient bool, now int64) error {
	if e.ID == "" && lenient {
		e.ID = in.d.IDs.UUID()
	}
	var err error
	if e.ID, err = checkID("event_id", e.ID, lenient, true); err != nil {
		return err
	}
	if e.Session, err = checkID("session_id", e.Session, lenient, true); err != nil {
		return err
	}
	if e.Parent, err = checkID("parent_id", e.Parent, lenient, false); err != nil {
		return err
	}
	if e.Parent == e.ID {
		return wrong("parent_id", "must differ from event_id")
	}
	for _, f := range [...]struct{ name, text string }{{"primitive_name", e.Name}, {"primitive_type", e.Type},
		{"model", e.Model}, {"customer_id", e.Customer}, {"user_id", e.User}} {
		if err := checkText(f.name, f.text); err != nil {
			return err
		}
	}
	for _, f := range [...]struct {
		name string
		n    int64
	}{{"latency", e.Latency}, {"input_tokens", e.InputTokens}, {"output_tokens", e.OutputTokens}} {
		if f.n < Absent || f.n > math.MaxInt32*int64(1000) {
			return wrong(f.name, "must be 0 or more, within bounds")
		}
	}
	e.Received = now
	if e.Time == 0 {
		e.Time, e.Untimed = now, true
		return nil
	}
	return checkTime(e.Time, now)
}

// checkTime returns ValidationFailed for a time that no event can have. Clients
// send the time of their own clock, so it is compared with real time; now is the
// environment's, which is valid too.
func checkTime(t, now int64) error {
	now = max(now, clock.Real().UnixMilli())
	switch {
	case t < 100_000_000_000:
		return wrong("timestamp", "must be epoch milliseconds (got seconds?)")
	case t > 100_000_000_000_000:
		return wrong("timestamp", "must be epoch milliseconds (got microseconds?)")
	case t < oldest:
		return wrong("timestamp", "must not be before the year 2000")
	case t > now+futureSlack:
		return wrong("timestamp", "must not be more than 24 hours ahead of the server")
	}
	return nil
}

func checkText(field, text string) error {
	if len(text) > maxText {
		return wrong(field, "is %d bytes; limit is %d", len(text), maxText)
	}
	if strings.IndexByte(text, 0) >= 0 {
		return wrong(field, "must not contain a NUL character")
	}
	return nil
}

// checkID returns the stored form of an id.
func checkID(field, id string, lenient, required bool) (string, error) {
	if id == "" {
		if required {
			return "", wrong(field, "is required")
		}
		return "", nil
	}
	if ids.IsUUID(id) {
		if id = strings.ToLower(id); id == "00000000-0000-0000-0000-000000000000" {
			return "", wrong(field, "must not be the nil UUID")
		}
		return id, nil
	}
	if !lenient {
		return "", wrong(field, "must be a UUID")
	}
	if len(id) > maxFreeID {
		return "", wrong(field, "is %d bytes; limit is %d", len(id), maxFreeID)
	}
	if strings.IndexByte(id, 0) >= 0 || !utf8.ValidString(id) {
		return "", wrong(field, "must be plain text")
	}
	return id, nil
}
