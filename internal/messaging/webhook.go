package messaging

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Webhook is an incoming webhook: whoever has its id may post to its channel.
type Webhook struct {
	Workspace string
	ID        string // secret; derived from ref, never stored
	App       string
	BotID     string // of the app
	Channel   string
	Name      string
	Creator   string
	Created   int64  // microseconds
	Ref       string // public: identifies it in lists
}

// CreateWebhook creates an incoming webhook for a channel that the caller can
// see, by id or name. It returns ChannelNotFound, IsArchived or TooLong.
func (s *Service) CreateWebhook(ctx context.Context, c Caller, app *App, channel, name string) (*Webhook, error) {
	if utf8.RuneCountInString(name) > 80 {
		return nil, TooLong.At("name")
	}
	ch, err := s.named(ctx, c, channel)
	if err != nil {
		return nil, err
	}
	if ch.Archived {
		return nil, IsArchived
	}
	if name == "" {
		name = "incoming-webhook"
	}
	h := &Webhook{Workspace: c.Workspace, App: app.ID, BotID: app.BotID, Channel: ch.ID, Name: name, Creator: c.ID,
		Created: s.Clock.Micros(), Ref: s.IDs.Object("WH")}
	h.ID = s.webhookID(h)
	return h, s.world.Write(ctx, func(tx *store.Tx) error { return insertWebhook(tx, h, auth.Hash(h.ID)) })
}

func (s *Service) webhookID(h *Webhook) string {
	return s.Deps.Secrets.Text(strings.Join([]string{"messaging", h.Workspace, h.Ref, "webhook"}, "/"), ids.Alnum, 24)
}

// Webhooks lists the incoming webhooks that the caller manages after a place
// (Created and Ref), oldest first, at most limit. ID and Channel are "" where the
// caller cannot see the conversation.
func (s *Service) Webhooks(ctx context.Context, c Caller, after Place, limit int) (out []*Webhook, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if out, err = listWebhooks(tx, c.Workspace, c.owner(), after, limit); err != nil {
			return err
		}
		for _, h := range out {
			_, err := s.visible(tx, c, h.Channel)
			switch {
			case errors.Is(err, ChannelNotFound):
				h.Channel = ""
			case err != nil:
				return err
			default:
				h.ID = s.webhookID(h)
			}
		}
		return nil
	})
	return out, err
}

// DeleteWebhook removes an incoming webhook by its secret id or its Ref. It
// returns WebhookNotFound and NotOwner.
func (s *Service) DeleteWebhook(ctx context.Context, c Caller, id string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		found, err := queryWebhooks(tx, `h.workspace = ? AND (h.hash = ? OR h.ref = ?)`, c.Workspace, auth.Hash(id), id)
		if err != nil || len(found) == 0 {
			return orElse(err, WebhookNotFound)
		}
		if err := s.checkOwner(tx, c, found[0].Creator, found[0].App); err != nil {
			return err
		}
		return deleteWebhook(tx, c.Workspace, found[0].Ref)
	})
}

// Webhook returns an incoming webhook by its secret id. It returns
// WebhookNotFound.
func (s *Service) Webhook(ctx context.Context, id string) (*Webhook, error) {
	var found []*Webhook
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = queryWebhooks(tx, `h.hash = ?`, auth.Hash(id))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, WebhookNotFound
	}
	found[0].ID = id
	return found[0], nil
}

// PostThrough posts the message of an incoming webhook to the webhook's channel,
// as the app's bot with the webhook's name. It returns the errors of PostMessage.
func (s *Service) PostThrough(ctx context.Context, h *Webhook, in PostMessage) error {
	bot, err := s.botOf(ctx, h.Workspace, h.App)
	if err != nil {
		return err
	}
	in.Channel = h.Channel
	if in.Username == "" {
		in.Username = h.Name
	}
	_, err = s.PostMessage(ctx, bot, in)
	return err
}

// botOf returns the bot of an app as a caller that may post without being a
// member.
func (s *Service) botOf(ctx context.Context, workspace, app string) (Caller, error) {
	if w, err := s.workspace(ctx, workspace); err != nil || w == nil || w.Deleted {
		return Caller{}, orElse(err, WorkspaceNotFound)
	}
	var a *App
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		a, err = getApp(tx, workspace, app)
		return err
	})
	if err != nil || a == nil {
		return Caller{}, orElse(err, AppNotFound)
	}
	u, err := s.user(ctx, workspace, a.BotUserID)
	if err != nil || u == nil {
		return Caller{}, orElse(err, UserNotFound)
	}
	return Caller{User: u, everywhere: true}, nil
}
