package acts

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/strict"
)

type item struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind" enum:"message,ephemeral,response,mention,direct"`
	Channel  string          `json:"channel"`
	TS       string          `json:"ts"`
	ThreadTS *string         `json:"thread_ts" description:"Of a reply: the ts of its thread."`
	From     string          `json:"from" description:"User id; the bot_id of a message under another name."`
	Text     string          `json:"text"`
	Blocks   json.RawMessage `json:"blocks"`
	Seq      *int64          `json:"seq" description:"The number of the request that brought it."`
}

// InboxReply holds items of an inbox.
type InboxReply struct {
	Items []item `json:"items" description:"Newest first."`
}

func itemOf(i messaging.InboxItem) item {
	out := item{ID: i.At.String(), Kind: i.Kind, Channel: i.Channel, TS: i.TS, From: i.From, Text: i.Text, Blocks: i.Blocks}
	if len(out.Blocks) == 0 {
		out.Blocks = json.RawMessage("[]")
	}
	if i.ThreadTS != "" && i.ThreadTS != i.TS {
		out.ThreadTS = &i.ThreadTS
	}
	if i.Request > 0 {
		out.Seq = &i.Request
	}
	return out
}

// NewInboxReply returns items in the form of the admin plane.
func NewInboxReply(items []messaging.InboxItem) InboxReply {
	out := InboxReply{Items: make([]item, len(items))}
	for i := range items {
		out.Items[i] = itemOf(items[i])
	}
	return out
}

// Place parses the id of an item; "" is the beginning. It returns
// environment.BadValue.
func Place(id string) (messaging.InboxPlace, error) {
	if id == "" {
		return messaging.InboxPlace{}, nil
	}
	at, ok := messaging.ParseInboxPlace(id)
	if !ok {
		return at, environment.BadValue.At("after").Detailf("must be the id of an item of the inbox")
	}
	return at, nil
}

// WaitRequest describes the inbox item to wait for.
type WaitRequest struct {
	For struct {
		Kind    string          `json:"kind,omitempty" enum:"message,ephemeral,response,mention,direct"`
		Channel string          `json:"channel,omitempty" description:"#name, an id, or @handle for a direct conversation."`
		From    string          `json:"from,omitempty" description:"@handle, id or e-mail address."`
		Thread  json.RawMessage `json:"thread,omitempty" description:"A message of the thread, such as {\"channel\": \"#support\", \"ts\": \"1772442000.000003\"}, or the ts of its first message."`
		Text    json.RawMessage `json:"text,omitempty" description:"A matcher: a text, or an object such as {\"contains\": \"Approve\"}."`
	} `json:"for"`
	After   string `json:"after,omitempty" description:"Id of an item: only what came behind it counts. The person's last act when left out."`
	Timeout *int64 `json:"timeout_ms,omitempty" description:"In real time; 10000 when left out, 60000 at most."`
}

// WaitReply is the result of a wait.
type WaitReply struct {
	Item     item  `json:"item"`
	WaitedMS int64 `json:"waited_ms"`
}

const (
	standardWait = 10_000 // milliseconds
	maxWait      = 60_000
)

// Waiter is the part of messaging.Service that a wait uses.
type Waiter interface {
	Wait(ctx context.Context, c messaging.Caller, in messaging.Await) (*messaging.InboxItem, []messaging.InboxItem, error)
}

// Wait waits for the item that a request describes. It returns
// environment.TimedOut with the other new items.
func (p *Person) Wait(ctx context.Context, rules Waiter, c messaging.Caller, in *WaitRequest) (any, error) {
	began := clock.Real()
	timeout := int64(standardWait)
	if in.Timeout != nil {
		if timeout = *in.Timeout; timeout < 0 || timeout > maxWait {
			return nil, environment.BadValue.At("timeout_ms").Detailf("must be from 0 to %d", maxWait)
		}
	}
	await, err := p.await(ctx, in)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(timeout)*time.Millisecond)
	defer cancel()
	found, seen, err := rules.Wait(ctx, c, await)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, environment.TimedOut.Detailf("Nothing of this kind arrived within %d ms; seen lists what arrived instead.", timeout).
			With(environment.Details{"seen": NewInboxReply(seen).Items})
	}
	return WaitReply{Item: itemOf(*found), WaitedMS: clock.Real().Sub(began).Milliseconds()}, nil
}

// await converts a request to the parameters of messaging.Service.Wait.
func (p *Person) await(ctx context.Context, in *WaitRequest) (out messaging.Await, err error) {
	w := &in.For
	if in.After != "" {
		at, err := Place(in.After)
		if err != nil {
			return out, err
		}
		out.After = &at
	}
	switch w.Kind {
	case "", messaging.InboxMessage, messaging.InboxEphemeral, messaging.InboxResponse, messaging.InboxMention, messaging.InboxDirect:
	default:
		return out, environment.BadValue.At("for.kind").Detailf("must be one of message, ephemeral, response, mention, direct")
	}
	text, err := newTextMatcher("for.text", w.Text, p.now)
	if err != nil {
		return out, err
	}
	from := ""
	if w.From != "" {
		if from, err = p.user(ctx, w.From); err != nil {
			return out, err
		}
	}
	thread, err := threadOf(ctx, p, w.Thread, w.Channel)
	if err != nil {
		return out, err
	}
	with := "" // the other user of a direct conversation that does not exist yet
	if w.Channel != "" {
		if out.Channel, err = p.conversation(ctx, w.Channel, false); err != nil {
			if !strings.HasPrefix(w.Channel, "@") {
				return out, err
			}
			if with, err = p.user(ctx, w.Channel); err != nil {
				return out, err
			}
		}
	}
	out.Want = func(i messaging.InboxItem) bool {
		return (w.Kind == "" || i.Kind == w.Kind) && (out.Channel == "" || i.Channel == out.Channel) && (from == "" || i.From == from) &&
			(with == "" || i.Kind == messaging.InboxDirect && i.From == with) && (thread == "" || i.ThreadTS == thread) &&
			text.matches(i.Text, i.Blocks)
	}
	return out, nil
}

// threadOf returns the ts of the thread that a wait names by a ts or by one of
// its messages; "" for none. channel is the default channel of the message.
func threadOf(ctx context.Context, p *Person, raw json.RawMessage, channel string) (string, error) {
	const field = "for.thread"
	var ts string
	malformed := environment.BadValue.At(field).Detailf("must be a message, or the ts of the thread's first message")
	if len(raw) == 0 || json.Unmarshal(raw, &ts) == nil { // null means none
		if _, ok := messaging.ParseTS(ts); ts != "" && !ok {
			return "", malformed
		}
		return ts, nil
	}
	var ref messageRef
	if f, ok := fault.As(strict.MembersOnce(raw, &ref)); ok {
		return "", f.At(field + "." + f.Field)
	}
	if json.Unmarshal(raw, &ref) != nil {
		return "", malformed
	}
	ref.Channel = cmp.Or(ref.Channel, channel)
	m, err := p.find(ctx, field, &ref)
	if err != nil {
		return "", err
	}
	return cmp.Or(m.ThreadTS, m.TS), nil
}
