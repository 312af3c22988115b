package messaging

import (
	"bytes"
	"context"
	"encoding/json"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// ephemeralEvent is sent to the clients of the one person who sees an ephemeral
// message. The message is also in the person's inbox.
type ephemeralEvent struct {
	Channel  string          `json:"channel"`
	User     string          `json:"user"`
	Message  json.RawMessage `json:"message,omitempty"`
	Replaces string          `json:"replaces,omitempty"` // ts of the message that it replaces
	Deleted  string          `json:"deleted,omitempty"`  // ts of the message that was deleted
}

// postEphemeral stores an app's answer in the inbox of the person for whom the
// response_url was created, and sends it to that person's clients. It returns the
// errors of prepare.
func (s *Service) postEphemeral(ctx context.Context, bot Caller, r *response, in Answer) error {
	m := in.Message
	body, err := s.prepare(ctx, bot, draft{text: m.Text, blocks: m.Blocks, attachments: m.Attachments, metadata: m.Metadata, mrkdwn: true})
	if err != nil || r.user == "" {
		return err
	}
	event := ephemeralEvent{Channel: r.channel, User: r.user}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		ts, err := s.ephemeralTS(tx, r)
		if err != nil {
			return err
		}
		where := place{}
		if in.InThread && r.threadTS > 0 {
			where.threadTS = r.threadTS
		}
		if parent, ok := ParseTS(m.ThreadTS); ok {
			where.threadTS = parent
		}
		text := bodyOf(s.authorOf(bot.User), ts, "", body, where, nil)
		event.Message = append(text[:len(text)-1], `,"is_ephemeral":true}`...)
		for _, secret := range in.Hidden {
			if secret != "" {
				event.Message = bytes.ReplaceAll(event.Message, []byte(secret), []byte("[redacted]"))
			}
		}
		if in.ReplaceOriginal && r.ephemeral > 0 {
			event.Replaces = r.ephemeral.String()
			if err := deleteEphemeral(tx, r.workspace, r.user, r.channel, r.ephemeral); err != nil {
				return err
			}
		}
		e := &ephemeral{kind: InboxEphemeral, channel: r.channel, ts: ts, body: event.Message, request: outbox.CauseOf(ctx)}
		if in.AtOnce {
			e.kind = InboxResponse
		}
		if e.at.Event, err = s.Outbox.Newest(tx); err != nil {
			return err
		}
		if err := insertEphemeral(tx, r.workspace, r.user, e); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			s.toPerson(r.workspace, r.user, "ephemeral_message", event)
			s.waits.shown(r.workspace, r.user)
		})
		return setResponseEphemeral(tx, r.hash, ts)
	})
}

// ephemeralTS returns the ts of the next ephemeral message for a person, which no
// other message of the conversation has or will have.
func (s *Service) ephemeralTS(tx *store.Tx, r *response) (TS, error) {
	now := s.Clock.Micros()
	if ts, err := touchChannel(tx, r.workspace, r.channel, now); ts > 0 || err != nil {
		return ts, err
	}
	last, err := newestEphemeral(tx, r.workspace, r.user, r.channel) // outside a conversation
	return max(TS(now), last+1), err
}

// deleteEphemeral removes an ephemeral message.
func (s *Service) deleteEphemeral(ctx context.Context, r *response) error {
	if r.ephemeral == 0 || r.user == "" {
		return nil
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() {
			s.toPerson(r.workspace, r.user, "ephemeral_message", ephemeralEvent{Channel: r.channel, User: r.user, Deleted: r.ephemeral.String()})
		})
		return deleteEphemeral(tx, r.workspace, r.user, r.channel, r.ephemeral)
	})
}
