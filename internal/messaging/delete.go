package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// tombstone is the subtype of the placeholder for a deleted parent of replies.
const tombstone = "tombstone"

// DeleteMessage removes a message of the caller, or any if the caller is an
// admin. A parent of replies is changed into a tombstone instead. It returns
// ChannelNotFound, MessageNotFound or CannotDelete.
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
		before := *m
		change := changeEvent{Subtype: "message_deleted", DeletedTS: m.TS.String(), PreviousMessage: m.JSON("", true)}
		if err := deleteReactions(tx, ch, m.TS); err != nil {
			return err
		}
		if m.replyCount > 0 {
			err = leaveTombstone(tx, m)
			change.Subtype, change.DeletedTS, change.Message = "message_changed", "", m.JSON("", true)
		} else {
			err = deleteMessage(tx, m)
		}
		if err != nil {
			return err
		}
		if err := s.reindex(tx, m); err != nil {
			return err
		}
		if err := s.emitChange(ctx, tx, ch, change, changeTS); err != nil {
			return err
		}
		if err := s.emitMetadata(ctx, tx, ch, &before, before.metadata, true, changeTS); err != nil || m.ThreadTS == 0 {
			return err
		}
		return s.leaveThread(ctx, tx, ch, m.ThreadTS)
	})
	return ts, err
}

// leaveThread updates a thread's counts after a reply was removed. With its last
// reply a tombstone is removed too, and that deletion has its own event.
func (s *Service) leaveThread(ctx context.Context, tx *store.Tx, ch *Channel, parentTS TS) error {
	tomb, err := s.recount(tx, ch, parentTS)
	if err != nil || tomb == nil {
		return err
	}
	changeTS, err := touchChannel(tx, ch.Workspace, ch.ID, s.Clock.Micros())
	if err != nil {
		return err
	}
	return s.emitChange(ctx, tx, ch, changeEvent{Subtype: "message_deleted", DeletedTS: tomb.TS.String(), PreviousMessage: tomb.JSON("", true)}, changeTS)
}

// mayDelete reports whether the caller may delete a message: a bot or person its
// own, a person who is an admin any.
func (c Caller) mayDelete(m *Message) bool {
	if m.User == c.ID && !systemSubtype(m.Subtype) {
		return true
	}
	if m.User == "" && c.BotID != "" {
		return m.botID() == c.BotID
	}
	return c.IsAdmin && !c.IsBot()
}

// leaveTombstone replaces a parent by a tombstone, so that its replies remain in
// a thread.
func leaveTombstone(tx *store.Tx, m *Message) error {
	w := bodyWriter{b: append([]byte(nil), `{"type":"message","subtype":"tombstone","user":"`+slackbotID+`","text":"This message was deleted.","hidden":true`...)}
	w.ts("ts", m.TS)
	m.body, m.metadata, m.reactions = append(w.b, '}'), nil, nil
	m.User, m.Subtype = slackbotID, tombstone
	return rewriteMessage(tx, m, "")
}
