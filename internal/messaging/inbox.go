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

// The kinds of what pops up for a person.
const (
	InboxDirect    = "direct"    // a message of a direct or group conversation
	InboxMention   = "mention"   // a message that names the person, or all of a conversation
	InboxMessage   = "message"   // any other message of the person's conversations
	InboxEphemeral = "ephemeral" // an app's answer for their eyes alone
	InboxResponse  = "response"  // such an answer, given at once
)

// InboxPlace is where something stands in an inbox: behind an event of the
// outbox and, of what was shown to the person alone, in order of its number.
type InboxPlace struct{ Event, Ephemeral int64 }

// String returns the text form, which ParseInboxPlace reads.
func (p InboxPlace) String() string {
	text := strconv.FormatInt(p.Event, 10)
	if p.Ephemeral > 0 {
		text += "." + strconv.FormatInt(p.Ephemeral, 10)
	}
	return text
}

// ParseInboxPlace reads the text form of a place.
func ParseInboxPlace(text string) (p InboxPlace, ok bool) {
	event, number, more := strings.Cut(text, ".")
	var err error
	if p.Event, err = strconv.ParseInt(event, 10, 64); err == nil && more {
		p.Ephemeral, err = strconv.ParseInt(number, 10, 64)
	}
	return p, err == nil && p.Event >= 0 && p.Ephemeral >= 0
}

// before reports whether p stands before q.
func (p InboxPlace) before(q InboxPlace) bool {
	return p.Event < q.Event || p.Event == q.Event && p.Ephemeral < q.Ephemeral
}

// InboxItem is something that popped up for a person: a message as it reads now.
type InboxItem struct {
	At       InboxPlace
	Kind     string
	Channel  string
	TS       string
	ThreadTS string
	From     string // user id, or the bot_id of a message under another name
	Text     string
	Blocks   json.RawMessage
	Request  int64           // the number of the request that brought it; 0 for none
	Body     json.RawMessage // of what was shown to the person alone: the message
}

// ephemeral is a message for one person's eyes alone, as it is stored.
type ephemeral struct {
	at      InboxPlace
	kind    string
	channel string
	ts      TS
	body    []byte
	request int64
}

// popUp is what an inbox reads of a message and of an event about one.
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

// inboxScan is what has changed in an inbox since an event.
type inboxScan struct {
	items   []InboxItem      // newest first
	changed map[string]popUp // messages as they read now, by channel and ts
	gone    map[string]bool  // messages that were deleted
}

func placeOf(channel, ts string) string { return channel + "/" + ts }

// Inbox returns what popped up for the caller after a place, newest first, at
// most limit: messages of others in the caller's conversations since the caller
// came into them, and what apps have shown to the caller alone. What a seed
// document has put there did not pop up.
func (s *Service) Inbox(ctx context.Context, c Caller, after InboxPlace, limit int) (items []InboxItem, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		found, err := s.scanInbox(tx, c, after, limit)
		items = found.items
		return err
	})
	return items, err
}

// scanInbox reads an inbox back to a place, at most limit items.
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
	newer := func(event int64) { // takes what was shown to the caller alone behind an event
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
				delete(kinds, joined.Channel) // what came before did not pop up
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

// read reads an event about a message. It reports whether that popped up for the
// caller, whose conversations kinds has.
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

// show sets the text and blocks of an item to those of a message.
func (i *InboxItem) show(m popUp) { i.Text, i.Blocks = m.Text, m.Blocks }

// mentions reports whether a text names a user, or everybody.
func mentions(text, user string) bool {
	return strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|") ||
		slices.ContainsFunc([]string{"<!channel", "<!here", "<!everyone"}, func(all string) bool { return strings.Contains(text, all) })
}

func (e *ephemeral) item() InboxItem {
	var m popUp
	_ = json.Unmarshal(e.body, &m) // our own JSON
	return InboxItem{At: e.at, Kind: e.kind, Channel: e.channel, TS: m.TS, ThreadTS: m.ThreadTS, From: m.from(), Text: m.Text, Blocks: m.Blocks, Request: e.request, Body: e.body}
}

// inboxEnd returns the place behind all that is in a user's inbox.
func (s *Service) inboxEnd(tx *store.Tx, workspace, user string) (at InboxPlace, err error) {
	if at.Event, err = s.Outbox.Newest(tx); err != nil {
		return at, err
	}
	at.Ephemeral, err = lastEphemeral(tx, workspace, user)
	return at, err
}

// InboxEnd returns the place behind all that is in the caller's inbox.
func (s *Service) InboxEnd(ctx context.Context, c Caller) (at InboxPlace, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		at, err = s.inboxEnd(tx, c.Workspace, c.ID)
		return err
	})
	return at, err
}

// Acted stores where the caller's inbox ended when the caller acted last: what
// comes behind it may be an answer.
func (s *Service) Acted(ctx context.Context, c Caller, at InboxPlace) error {
	return s.world.Write(ctx, func(tx *store.Tx) error { return setLastAct(tx, c.Workspace, c.ID, at) })
}

// ShownAlone returns what apps have shown to the caller alone, newest first.
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
