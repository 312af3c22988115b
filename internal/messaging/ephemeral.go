package messaging

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/store"
)

// ephemeralEvent is what the clients of one person are sent that nobody else
// sees and nobody keeps.
type ephemeralEvent struct {
	Channel  string          `json:"channel"`
	User     string          `json:"user"`
	Message  json.RawMessage `json:"message,omitempty"`
	Replaces string          `json:"replaces,omitempty"` // ts of the one that it takes the place of
	Deleted  string          `json:"deleted,omitempty"`  // ts of the one that is gone
}

// whisper sends an app's answer to the connected clients of the one person whom
// a response_url answers. It returns the refusals of prepare.
func (s *Service) whisper(ctx context.Context, bot Caller, r *response, m PostMessage, replace bool) error {
	body, err := s.prepare(ctx, bot, draft{text: m.Text, blocks: m.Blocks, attachments: m.Attachments, metadata: m.Metadata, mrkdwn: true})
	if err != nil || r.user == "" {
		return err
	}
	ts := TS(s.Clock.Micros())
	where := place{}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ch, err := getChannel(tx, r.workspace, r.channel)
		if err != nil || ch == nil {
			return err
		}
		ts = max(ts, ch.LastTS+1) // below what stands there
		if m.ThreadTS != "" {
			if parent, ok := ParseTS(m.ThreadTS); ok {
				where.threadTS = parent
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	who := s.authorOf(bot.User)
	event := ephemeralEvent{Channel: r.channel, User: r.user}
	if replace && r.ephemeral > 0 {
		event.Replaces = r.ephemeral.String()
	}
	text := appendBody(nil, who, ts, "", body, where, nil)
	event.Message = append(text[:len(text)-1], `,"is_ephemeral":true}`...)
	if err := s.world.Write(ctx, func(tx *store.Tx) error { return setResponseEphemeral(tx, r.hash, ts) }); err != nil {
		return err
	}
	s.toPerson(r.workspace, r.user, "ephemeral_message", event)
	return nil
}

// unwhisper removes a message that was shown to one person alone.
func (s *Service) unwhisper(r *response) {
	if r.ephemeral > 0 && r.user != "" {
		s.toPerson(r.workspace, r.user, "ephemeral_message", ephemeralEvent{Channel: r.channel, User: r.user, Deleted: r.ephemeral.String()})
	}
}
