package messaging

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"understudy/internal/platform/store"
)

// UpdateMessage are the parameters of Service.UpdateMessage. Nil means left out.
type UpdateMessage struct {
	Channel     string
	TS          string
	Text        *string
	Markdown    string
	Blocks      []byte
	Attachments []byte
	Metadata    []byte // {} removes
	Parse       string
	LinkNames   bool
	Broadcast   bool
}

// Updated is a message that was changed.
type Updated struct {
	Channel string
	TS      TS
	Text    string
	Message []byte // JSON
}

// stored is the part of a message's JSON that an update needs.
type stored struct {
	Text        string          `json:"text"`
	Blocks      json.RawMessage `json:"blocks"`
	Attachments json.RawMessage `json:"attachments"`
	Username    string          `json:"username"`
	Icons       json.RawMessage `json:"icons"`
	BotID       string          `json:"bot_id"`
	ParentUser  string          `json:"parent_user_id"`
	Root        json.RawMessage `json:"root"`
	ClientMsgID string          `json:"client_msg_id"`
	Edited      json.RawMessage `json:"edited"`
}

// asks reports whether an update changes content, and whether it changes
// anything.
func (in UpdateMessage) asks() (content, anything bool) {
	content = in.Text != nil || in.Markdown != "" || in.Blocks != nil || in.Attachments != nil
	return content, content || in.Metadata != nil || in.Broadcast
}

// UpdateMessage changes a message of the caller and emits message_changed. It
// returns, in this order, ChannelNotFound, MessageNotFound, CannotUpdate,
// InactiveChannel, CannotBroadcast, BroadcastAndContent, and the errors of the
// content: NoText if the message would be blank.
func (s *Service) UpdateMessage(ctx context.Context, c Caller, in UpdateMessage) (Updated, error) {
	d := draft{markdown: in.Markdown, blocks: in.Blocks, attachments: in.Attachments, metadata: in.Metadata,
		mrkdwn: true, parse: in.Parse, linkNames: in.LinkNames}
	if in.Text != nil {
		d.text = *in.Text
	}
	body, refused := s.compose(ctx, c, d)
	asksContent, asksAnything := in.asks()
	switch {
	case refused != nil:
	case !asksAnything:
		refused = NoText
	case utf8.RuneCountInString(d.text) > maxUpdateText:
		refused = MessageTooLong
	}
	ts, ok := ParseTS(in.TS)
	var out Updated
	err := s.world.Write(ctx, func(tx *store.Tx) error {
		ch, err := s.visible(tx, c, in.Channel)
		if err != nil {
			return err
		}
		if !ok {
			return MessageNotFound
		}
		m, err := messageAt(tx, ch, ts)
		if err != nil {
			return err
		}
		if m == nil || m.Subtype == tombstone {
			return MessageNotFound
		}
		var old stored
		if err := unmarshalBody(m.body, &old); err != nil {
			return err
		}
		broadcasts := in.Broadcast && m.Subtype != threadBroadcast
		switch {
		case systemSubtype(m.Subtype), m.User != c.ID && (old.BotID == "" || old.BotID != c.BotID):
			return CannotUpdate
		case ch.Archived:
			return InactiveChannel
		case in.Broadcast && m.ThreadTS == 0:
			return CannotBroadcast
		case broadcasts && asksContent:
			return BroadcastAndContent
		case refused != nil:
			return refused
		}
		next := old.merge(in, body)
		if next.empty() {
			return NoText
		}
		changeTS, err := touchChannel(tx, ch.Workspace, ch.ID, s.Clock.Micros())
		if err != nil {
			return err
		}
		before := *m
		where := place{threadTS: m.ThreadTS, parentUser: old.ParentUser, root: old.Root}
		if broadcasts {
			if where.root, err = rootOf(tx, ch, m.ThreadTS); err != nil {
				return err
			}
			m.Subtype, m.Listed = threadBroadcast, true
		}
		who := s.authorOf(c.User)
		if old.Username != "" {
			who.user, who.username, who.icons = "", old.Username, old.Icons
		}
		edited := old.Edited
		if asksContent {
			edited = []byte(`{"user":"` + c.ID + `","ts":"` + (changeTS - changeTS%1e6).String() + `"}`) // whole seconds, as upstream
		}
		m.body = bodyOf(who, m.TS, m.Subtype, next, where, edited)
		if in.Metadata != nil {
			m.metadata = next.metadata
		}
		if err := rewriteMessage(tx, m, next.words); err != nil {
			return err
		}
		if err := s.reindex(tx, m); err != nil {
			return err
		}
		out = Updated{Channel: ch.ID, TS: m.TS, Text: next.text, Message: m.JSON(c.ID, true)}
		change := changeEvent{Subtype: "message_changed", Message: m.JSON("", true), PreviousMessage: before.JSON("", true)}
		if !c.IsBot() {
			change.Message = withTeams(change.Message, ch.Workspace)
		}
		if err := s.emitChange(ctx, tx, ch, change, changeTS); err != nil {
			return err
		}
		if err := s.emitMentions(ctx, tx, ch, m, next, &content{text: old.Text, blocks: old.Blocks}, changeTS); err != nil {
			return err
		}
		return s.emitMetadata(ctx, tx, ch, m, before.metadata, false, changeTS)
	})
	return out, err
}

// withTeams adds to the JSON of a message the members that the event of a person's
// edit has: the teams that the message and its author come from.
func withTeams(message []byte, team string) []byte {
	out := append(make([]byte, 0, len(message)+64), message[:len(message)-1]...)
	return append(out, `,"source_team":"`+team+`","user_team":"`+team+`"}`...)
}

// merge returns the content after an update: a new text without blocks replaces
// the blocks; what is left out remains.
func (old stored) merge(in UpdateMessage, body *content) *content {
	next := *body
	if in.Text == nil && in.Markdown == "" {
		switch {
		case in.Blocks == nil:
			next.text, next.blocks = old.Text, old.Blocks
		case len(next.blocks) == 0:
			next.text = old.Text
		}
	}
	if in.Attachments == nil {
		next.attachments = old.Attachments
	}
	next.clientMsgID = old.ClientMsgID
	next.findWords()
	return &next
}

// systemSubtype reports whether messages of a subtype are written by the service
// itself.
func systemSubtype(subtype string) bool {
	switch subtype {
	case "", "bot_message", threadBroadcast:
		return false
	}
	return true
}

// emitChange appends the event of a changed message.
func (s *Service) emitChange(ctx context.Context, tx *store.Tx, ch *Channel, e changeEvent, ts TS) error {
	e.Type, e.Hidden, e.Channel, e.ChannelType = "message", true, ch.ID, ch.eventType()
	e.TS, e.EventTS = ts.String(), ts.String()
	return s.emit(ctx, tx, event{kind: "message", in: ch, inner: e})
}
