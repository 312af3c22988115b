package messaging

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/store"
)

// UpdateMessage asks to change a message. Nil means left out.
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

// stored is what of a message's JSON an update keeps.
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
}

// UpdateMessage changes a message of the caller and tells of it. It returns,
// in this order, ChannelNotFound, MessageNotFound, CannotUpdate,
// InactiveChannel, and the refusals of the content.
func (s *Service) UpdateMessage(ctx context.Context, c Caller, in UpdateMessage) (Updated, error) {
	var body *content
	var refused error
	if in.Text != nil || in.Markdown != "" || in.Blocks != nil || !empty(in.Attachments) {
		d := draft{markdown: in.Markdown, blocks: in.Blocks, attachments: in.Attachments, metadata: in.Metadata,
			mrkdwn: true, parse: in.Parse, linkNames: in.LinkNames}
		if in.Text != nil {
			d.text = *in.Text
		}
		body, refused = s.prepare(ctx, c, d)
		if refused == nil && utf8.RuneCountInString(d.text) > maxUpdateText {
			refused = MessageTooLong
		}
	} else if in.Metadata == nil && in.Attachments == nil {
		refused = NoText
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
		if m == nil {
			return MessageNotFound
		}
		var old stored
		if err := unmarshalBody(m.body, &old); err != nil {
			return err
		}
		switch {
		case systemSubtype(m.Subtype), m.User != c.ID && (old.BotID == "" || old.BotID != c.BotID):
			return CannotUpdate
		case ch.Archived:
			return InactiveChannel
		case in.Broadcast && m.ThreadTS == 0:
			return CannotBroadcast
		case refused != nil && !(refused == error(NoText) && keepsContent(in, old)):
			return refused
		}
		next := old.merge(in, body)
		changeTS, err := touchChannel(tx, ch.Workspace, ch.ID, s.Clock.Micros())
		if err != nil {
			return err
		}
		before := m.JSON("", true)
		who := s.authorOf(c.User)
		if old.Username != "" {
			who.user, who.username, who.icons = "", old.Username, old.Icons
		}
		edited := []byte(`{"user":"` + c.ID + `","ts":"` + changeTS.String() + `"}`)
		m.body = appendBody(nil, who, m.TS, m.Subtype, next,
			place{threadTS: m.ThreadTS, parentUser: old.ParentUser, root: old.Root}, edited)
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
		return s.emitChange(ctx, tx, ch, changeEvent{Subtype: "message_changed", Message: m.JSON("", true), PreviousMessage: before}, changeTS)
	})
	return out, err
}

// keepsContent tells whether an update that empties text or blocks leaves something to show.
func keepsContent(in UpdateMessage, old stored) bool {
	if in.Text == nil && in.Blocks == nil {
		return false // nothing was asked for
	}
	return in.Attachments == nil && !empty(old.Attachments) || in.Text == nil && old.Text != ""
}

// merge gives the content after an update: text without blocks makes the
// blocks anew, and what is left out stays.
func (old stored) merge(in UpdateMessage, body *content) *content {
	if body == nil {
		body = &content{}
		if in.Text == nil {
			body.text, body.words = old.Text, searchquery.Words(mrkdwn.Plain(old.Text))
		}
	}
	next := *body
	if in.Text == nil && in.Markdown == "" {
		if in.Blocks == nil {
			next.text, next.blocks = old.Text, old.Blocks
		}
	}
	if in.Attachments == nil {
		next.attachments = old.Attachments
	}
	next.clientMsgID = old.ClientMsgID
	return &next
}

// systemSubtype tells whether the service itself wrote a message.
func systemSubtype(subtype string) bool {
	switch subtype {
	case "", "bot_message", "thread_broadcast":
		return false
	}
	return true
}

// emitChange tells of a change of a message.
func (s *Service) emitChange(ctx context.Context, tx *store.Tx, ch *Channel, e changeEvent, ts TS) error {
	e.Type, e.Hidden, e.Channel, e.ChannelType = "message", true, ch.ID, ch.eventType()
	e.TS, e.EventTS = ts.String(), ts.String()
	return s.emit(ctx, tx, event{kind: "message", in: ch, inner: e})
}
