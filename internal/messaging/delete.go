package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// tombstone is the subtype that a deleted parent of replies leaves behind.
const tombstone = "tombstone"

// DeleteMessage removes a message of the caller, or any when the caller is an
// admin, and tells of it. It returns ChannelNotFound, MessageNotFound or CannotDelete.
func (s *Service) DeleteMessage(ctx context.Context, c Caller, channel, at string) (TS, error) {
	ts, ok := ParseTS(at)
	err := s.world.Write(ctx, func(tx *store.Tx) error {
		ch, err := s.visible(tx, c, channel)
		if err != nil {
			return err
		}
		if !ok {
			return MessageNotFound
		}
		m, err := messageAt(tx, ch, ts)
		switch {
		case err != nil:
			return err
		case m == nil || m.Subtype == tombstone:
			return MessageNotFound
		case !c.mayDelete(m):
			return CannotDelete
		}
		changeTS, err := touchChannel(tx, ch.Workspace, ch.ID, s.Clock.Micros())
		if err != nil {
			return err
		}
		before := m.JSON("", true)
		if err := deleteReactions(tx, ch, m.TS); err != nil {
			return err
		}
		if m.replyCount > 0 {
			err = s.bury(tx, ch, m)
		} else if err = deleteMessage(tx, m); err == nil && m.ThreadTS > 0 {
			err = s.recount(tx, ch, m.ThreadTS)
		}
		if err != nil {
			return err
		}
		if err := s.reindex(tx, m); err != nil {
			return err
		}
		return s.emitChange(ctx, tx, ch, changeEvent{Subtype: "message_deleted", DeletedTS: m.TS.String(), PreviousMessage: before}, changeTS)
	})
	return ts, err
}

// mayDelete: a bot its own messages, a person theirs, an admin any but the service's own.
func (c Caller) mayDelete(m *Message) bool {
	if m.User == c.ID && !systemSubtype(m.Subtype) {
		return true
	}
	if m.User == "" && c.BotID != "" {
		return m.botID() == c.BotID
	}
	return c.IsAdmin && !c.IsBot()
}

// bury leaves a tombstone where a parent stood, so that its replies keep their place.
func (s *Service) bury(tx *store.Tx, ch *Channel, m *Message) error {
	w := bodyWriter{b: append([]byte(nil), `{"type":"message","subtype":"tombstone","user":"USLACKBOT","text":"This message was deleted.","hidden":true`...)}
	w.ts("ts", m.TS)
	m.body, m.metadata, m.reactions = append(w.b, '}'), nil, nil
	m.User, m.Subtype = "USLACKBOT", tombstone
	return rewriteMessage(tx, m, "")
}
