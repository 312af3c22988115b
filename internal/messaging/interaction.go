package messaging

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/store"
)

// Interact names what a user interacts with: a message, or nothing for a
// shortcut.
type Interact struct {
	Channel string // id or name; "" for a global shortcut
	TS      string // of the message; "" when there is none
	// Ephemeral is the ts of an ephemeral message for the caller.
	Ephemeral string
}

// Interaction is a user's action, to be sent to an app.
type Interaction struct {
	App       *App
	Secrets   Secrets
	URL       string // the app's request URL
	Team      *Workspace
	Channel   *Channel // nil for a global shortcut
	Message   []byte   // JSON; nil when there is none
	ThreadTS  string
	Ephemeral string // as in Interact
	alone     []byte // JSON of the ephemeral message; nil when there is none
	Response  string // the secret of the response_url; "" without a channel
	Trigger   string
	ActionTS  string
}

// Shown returns the JSON of the message that the caller interacts with; nil when
// there is none.
func (i *Interaction) Shown() []byte {
	if i.alone != nil {
		return i.alone
	}
	return i.Message
}

// Interact prepares an interaction. It returns NoRequestURL, ChannelNotFound or MessageNotFound.
func (s *Service) Interact(ctx context.Context, c Caller, app *App, in Interact) (*Interaction, error) {
	m := &manifest{}
	if err := json.Unmarshal(app.Manifest, m); err != nil {
		return nil, err
	}
	i := m.Settings.Interactivity
	if i.RequestURL == "" || i.IsEnabled != nil && !*i.IsEnabled {
		return nil, NoRequestURL
	}
	out := &Interaction{App: app, Secrets: s.Secrets(app), URL: i.RequestURL, Trigger: s.trigger(), ActionTS: s.eventTS()}
	var err error
	if out.Team, err = s.workspace(ctx, c.Workspace); err != nil || in.Channel == "" {
		return out, err
	}
	if out.Channel, err = s.named(ctx, c, in.Channel); err != nil {
		return nil, err
	}
	right := response{workspace: c.Workspace, app: app.ID, channel: out.Channel.ID, user: c.ID}
	if in.Ephemeral != "" {
		ts, ok := ParseTS(in.Ephemeral)
		if !ok {
			return nil, MessageNotFound
		}
		out.Ephemeral, right.ephemeral = in.Ephemeral, ts
		err := s.world.Read(ctx, func(tx *store.Tx) error {
			out.alone, err = ephemeralAt(tx, c.Workspace, c.ID, out.Channel.ID, ts)
			return err
		})
		if err != nil {
			return nil, err
		}
		if out.alone == nil {
			return nil, MessageNotFound
		}
	}
	if in.TS != "" {
		found, err := s.messageFor(ctx, c, out.Channel, in.TS)
		if err != nil {
			return nil, err
		}
		out.Message, right.ts, right.threadTS = found.JSON(c.ID, true), found.TS, found.ThreadTS
		if found.ThreadTS > 0 {
			out.ThreadTS = found.ThreadTS.String()
		} else {
			right.threadTS = found.TS
		}
	}
	out.Response, err = s.newResponse(ctx, right)
	return out, err
}

func (s *Service) messageFor(ctx context.Context, c Caller, ch *Channel, at string) (m *Message, err error) {
	ts, ok := ParseTS(at)
	if !ok {
		return nil, MessageNotFound
	}
	if err := readable(c, ch); err != nil {
		return nil, err
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		m, err = messageAt(tx, ch, ts)
		return err
	})
	if err == nil && m == nil {
		err = MessageNotFound
	}
	return m, err
}

// AppOfMessage returns the id of the app that wrote a message, or "". It returns
// ChannelNotFound, NotInChannel or MessageNotFound.
func (s *Service) AppOfMessage(ctx context.Context, c Caller, channel, at string) (string, error) {
	ch, err := s.named(ctx, c, channel)
	if err != nil {
		return "", err
	}
	m, err := s.messageFor(ctx, c, ch, at)
	if err != nil {
		return "", err
	}
	var body struct {
		AppID string `json:"app_id"`
	}
	return body.AppID, json.Unmarshal(m.body, &body)
}
