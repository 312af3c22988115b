package messaging

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// The kinds of inbox items.
const (
	InboxDirect    = "direct"    // a message of a direct or group conversation
	InboxMention   = "mention"   // a message that mentions the person or everybody
	InboxMessage   = "message"   // any other message of the person's conversations
	InboxEphemeral = "ephemeral" // an ephemeral message of an app
	InboxResponse  = "response"  // an ephemeral message in the immediate reply to a command or interaction
)

// InboxPlace is a place in an inbox: after an event of the outbox, and among
// ephemeral messages after a number.
type InboxPlace struct{ Event, Ephemeral int64 }

// String returns the text form, which ParseInboxPlace parses.
func (p InboxPlace) String() string {
	text := strconv.FormatInt(p.Event, 10)
	if p.Ephemeral > 0 {
		text += "." + strconv.FormatInt(p.Ephemeral, 10)
	}
	return text
}

// ParseInboxPlace parses the text form of a place.
func ParseInboxPlace(text string) (p InboxPlace, ok bool) {
	event, number, more := strings.Cut(text, ".")
	var err error
	if p.Event, err = strconv.ParseInt(event, 10, 64); err == nil && more {
		p.Ephemeral, err = strconv.ParseInt(number, 10, 64)
	}
	return p, err == nil && p.Event >= 0 && p.Ephemeral >= 0
}

// before reports whether p is before q.
func (p InboxPlace) before(q InboxPlace) bool {
	return p.Event < q.Event || p.Event == q.Event && p.Ephemeral < q.Ephemeral
}

// InboxItem is a message in a person's inbox, with its current content.
type InboxItem struct {
	At       InboxPlace
	Kind     string
	Channel  string
	TS       string
	ThreadTS string
	From     string // user id, or the bot_id of a message with a custom author
	Text     string
	Blocks   json.RawMessage
	Request  int64           // the number of the request that caused it; 0 for none
	Body     json.RawMessage // of an ephemeral message: the message
}

// ephemeral is an ephemeral message as it is stored.
type ephemeral struct {
	at      InboxPlace
	kind    string
	channel string
	ts      TS
	body    []byte
	request int64
}

// popUp is the part of a message, or of an event about one, that an inbox reads.
type popUp struct {
	Subtype  string          `json:"subtype"`
	Channel  string          `json:"channel"`
	User     string          `json:"user"`
	BotID    string          `json:"bot_id"`
	TS       string          `json:"ts"`
	ThreadTS string          `json:"thread_ts"`
	Text     string          `json:"text"`
	Blocks   json.RawMessage `json:"blocks"`
	Message  *popUp          `json:"message"`    // of message_changed
	Deleted  string          `json:"deleted_ts"` // of message_deleted
}

// inboxScan is the result of reading an inbox from an event on.
type inboxScan struct {
	items   []InboxItem      // newest first
	changed map[string]popUp // changed messages with their current content, by channel and ts
	gone    map[string]bool  // deleted messages
}

func placeOf(channel, ts string) string { return channel + "/" + ts }

// Inbox returns the items of the caller's inbox after a place, newest first, at
// most limit: messages of others in the caller's conversations since the caller
// joined, and ephemeral messages of apps. It leaves out seeded messages.
func (s *Service) Inbox(ctx context.Context, c Caller, after InboxPlace, limit int) (items []InboxItem, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		found, err := s.scanInbox(tx, c, after, limit)
		items = found.items
		return err
	})
	return items, err
}

// scanInbox reads an inbox from its end back to a place, at most limit items.
func (s *Service) scanInbox(tx *store.Tx, c Caller, after InboxPlace, limit int) (out inboxScan, err error) {
	out = inboxScan{changed: map[string]popUp{}, gone: map[string]bool{}}
	in, err := conversationsOf(tx, c.Workspace, c.ID)
	if err != nil {
		return out, err
	}
	kinds := make(map[string]Kind, len(in))
	for _, ch := range in {
		kinds[ch.ID] = ch.Kind
	}
	alone, err := ephemerals(tx, c.Workspace, c.ID)
	if err != nil {
		return out, err
	}
	newer := func(event int64) { // appends the ephemeral messages that are newer than an event
		for len(alone) > 0 {
			last := alone[len(alone)-1]
			if last.at.Event < event || !after.before(last.at) || len(out.items) >= limit {
				return
			}
			out.items = append(out.items, last.item())
			alone = alone[:len(alone)-1]
		}
	}
	err = s.Outbox.History(tx, Name, c.Workspace, after.Event, func(e outbox.Event) bool {
		newer(e.Seq)
		if len(out.items) >= limit {
			return false
		}
		switch e.Type {
		case "member_joined_channel":
			var joined popUp
			if json.Unmarshal(e.Payload, &joined) == nil && joined.User == c.ID {
				delete(kinds, joined.Channel) // earlier messages are not in the inbox
			}
		case "message":
			if item, ok := out.read(e, c, kinds); ok {
				out.items = append(out.items, item)
			}
		}
		return true
	})
	newer(0)
	return out, err
}

// read reads an event about a message, and reports whether it is an item of the
// caller's inbox. kinds holds the caller's conversations.
func (in *inboxScan) read(e outbox.Event, c Caller, kinds map[string]Kind) (item InboxItem, ok bool) {
	var m popUp
	if json.Unmarshal(e.Payload, &m) != nil {
		return item, false
	}
	switch m.Subtype {
	case "message_changed":
		if m.Message != nil {
			if at := placeOf(m.Channel, m.Message.TS); in.changed[at].TS == "" {
				in.changed[at] = *m.Message
			}
		}
		return item, false
	case "message_deleted":
		in.gone[placeOf(m.Channel, m.Deleted)] = true
		return item, false
	case "", "bot_message", threadBroadcast, "me_message":
	default:
		return item, false
	}
	kind, member := kinds[m.Channel]
	if !member || m.User == c.ID || in.gone[placeOf(m.Channel, m.TS)] {
		return item, false
	}
	item = InboxItem{At: InboxPlace{Event: e.Seq}, Kind: InboxMessage, Channel: m.Channel, TS: m.TS, ThreadTS: m.ThreadTS, From: m.from(), Request: e.Cause}
	if now, ok := in.changed[placeOf(m.Channel, m.TS)]; ok {
		m.Text, m.Blocks = now.Text, now.Blocks
	}
	item.show(m)
	switch {
	case kind == IM || kind == MPIM:
		item.Kind = InboxDirect
	case mentions(m.Text, c.ID):
		item.Kind = InboxMention
	}
	return item, true
}

func (m *popUp) from() string {
	if m.User == "" {
		return m.BotID
	}
	return m.User
}

// show copies the text and blocks of a message to an item.
func (i *InboxItem) show(m popUp) { i.Text, i.Blocks = m.Text, m.Blocks }

// mentions reports whether a text mentions a user or everybody.
func mentions(text, user string) bool {
	return strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|") ||
		slices.ContainsFunc([]string{"<!channel", "<!here", "<!everyone"}, func(all string) bool { return strings.Contains(text, all) })
}

func (e *ephemeral) item() InboxItem {
	var m popUp
	_ = json.Unmarshal(e.body, &m) // JSON of this service, which is valid
	return InboxItem{At: e.at, Kind: e.kind, Channel: e.channel, TS: m.TS, ThreadTS: m.ThreadTS, From: m.from(), Text: m.Text, Blocks: m.Blocks, Request: e.request, Body: e.body}
}

// inboxEnd returns the place at the end of a user's inbox.
func (s *Service) inboxEnd(tx *store.Tx, workspace, user string) (at InboxPlace, err error) {
	if at.Event, err = s.Outbox.Newest(tx); err != nil {
		return at, err
	}
	at.Ephemeral, err = lastEphemeral(tx, workspace, user)
	return at, err
}

// InboxEnd returns the place at the end of the caller's inbox.
func (s *Service) InboxEnd(ctx context.Context, c Caller) (at InboxPlace, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		at, err = s.inboxEnd(tx, c.Workspace, c.ID)
		return err
	})
	return at, err
}

// Acted stores the end of the caller's inbox at the caller's last action: later
// items may be answers to it.
func (s *Service) Acted(ctx context.Context, c Caller, at InboxPlace) error {
	return s.world.Write(ctx, func(tx *store.Tx) error { return setLastAct(tx, c.Workspace, c.ID, at) })
}

// ShownAlone returns the ephemeral messages for the caller, newest first.
func (s *Service) ShownAlone(ctx context.Context, c Caller) (items []InboxItem, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		found, err := ephemerals(tx, c.Workspace, c.ID)
		for _, e := range slices.Backward(found) {
			items = append(items, e.item())
		}
		return err
	})
	return items, err
}
