package messaging

import (
	"context"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

const (
	responseLife = 30 * time.Minute
	responseUses = 5
)

// response is a response_url, through which an app may answer where it was
// called.
type response struct {
	hash      string
	workspace string
	app       string
	channel   string
	user      string // the user who called the app
	ts        TS     // the message that replace_original and delete_original refer to; 0 for none
	threadTS  TS
	ephemeral TS // the ephemeral message that they refer to; 0 for none
	uses      int64
	created   int64
}

func (s *Service) newResponse(ctx context.Context, r response) (secret string, err error) {
	secret = s.IDs.Secret(24)
	r.hash, r.created = auth.Hash(secret), s.Clock.Micros()
	return secret, s.world.Write(ctx, func(tx *store.Tx) error {
		if err := deleteResponsesBefore(tx, r.created-responseLife.Microseconds()); err != nil {
			return err
		}
		return insertResponse(tx, &r)
	})
}

// Answer is an app's answer to a command or an interaction.
type Answer struct {
	InChannel       bool // else ephemeral: sent only to the clients of one person
	ReplaceOriginal bool
	DeleteOriginal  bool
	InThread        bool // of the message that the user interacted with
	AtOnce          bool // sent in the reply to the command or the interaction
	Message         PostMessage
	Hidden          []string // secrets to remove from the stored ephemeral message
}

// ResponseApp returns the app of a response_url without counting a use. It
// returns ResponseExpired and ResponseSpent.
func (s *Service) ResponseApp(ctx context.Context, secret string) (app string, err error) {
	var r *response
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		r, err = getResponse(tx, auth.Hash(secret))
		return err
	})
	switch {
	case err != nil:
		return "", err
	case r == nil || s.Clock.Micros()-r.created > responseLife.Microseconds():
		return "", ResponseExpired
	case r.uses >= responseUses:
		return "", ResponseSpent
	}
	return r.app, nil
}

// Respond posts an answer that was sent to a response_url. It returns
// ResponseExpired, ResponseSpent, and the errors of posting, updating and
// deleting.
func (s *Service) Respond(ctx context.Context, secret string, in Answer) error {
	var r *response
	err := s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if r, err = useResponse(tx, auth.Hash(secret)); err != nil {
			return err
		}
		switch {
		case r == nil || s.Clock.Micros()-r.created > responseLife.Microseconds():
			return ResponseExpired
		case r.uses > responseUses:
			return ResponseSpent
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.answer(ctx, r, in)
}

// AnswerAtOnce posts an answer that was sent in the reply to a command or an
// interaction. It does not count as a use of the response_url.
func (s *Service) AnswerAtOnce(ctx context.Context, secret string, in Answer) error {
	var r *response
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		r, err = getResponse(tx, auth.Hash(secret))
		return err
	})
	if err != nil || r == nil {
		return orElse(err, ResponseExpired)
	}
	in.AtOnce = true
	return s.answer(ctx, r, in)
}

func (s *Service) answer(ctx context.Context, r *response, in Answer) error {
	bot, err := s.botOf(ctx, r.workspace, r.app)
	if err != nil {
		return err
	}
	switch {
	case in.DeleteOriginal:
		if r.ts == 0 {
			return s.deleteEphemeral(ctx, r)
		}
		_, err := s.DeleteMessage(ctx, bot, r.channel, r.ts.String())
		return err
	case in.ReplaceOriginal && r.ts > 0:
		m := in.Message
		if m.Attachments == nil {
			m.Attachments = []byte("[]") // the whole message is replaced
		}
		u := UpdateMessage{Channel: r.channel, TS: r.ts.String(), Text: &m.Text, Blocks: m.Blocks, Attachments: m.Attachments, Metadata: m.Metadata}
		_, err := s.UpdateMessage(ctx, bot, u)
		return err
	}
	if !in.InChannel || in.ReplaceOriginal {
		return s.postEphemeral(ctx, bot, r, in)
	}
	m := in.Message
	m.Channel = r.channel
	if in.InThread && m.ThreadTS == "" && r.threadTS > 0 {
		m.ThreadTS = r.threadTS.String()
	}
	posted, err := s.PostMessage(ctx, bot, m)
	if err != nil || r.ts > 0 {
		return err
	}
	return s.world.Write(ctx, func(tx *store.Tx) error { return setResponseTS(tx, r.hash, posted.TS) })
}
