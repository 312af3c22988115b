package messaging

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// SubscriptionKind is the kind of a subscription.
type SubscriptionKind string

// The kinds of subscriptions.
const (
	Events   SubscriptionKind = "events"   // of an app, with the view of its bot user or of the installing user
	Outgoing SubscriptionKind = "outgoing" // an outgoing webhook, for all public channels or one channel
)

// Subscription is an address to which events are delivered.
type Subscription struct {
	Workspace    string
	ID           string
	Kind         SubscriptionKind
	App          string
	Viewer       string
	URL          string
	EventTypes   []string
	Status       string // active or disabled
	Name         string
	Channel      string
	TriggerWords []string
	Creator      string
	Created      int64 // microseconds

	// Only of a subscription that was loaded for a delivery.
	app            *App
	token, signing string // see Signing
}

// The values of Subscription.Status.
const (
	Active   = "active"
	Disabled = "disabled"
)

// CheckEventTypes returns UnknownEventType for an empty list and for names that
// upstream does not know.
func CheckEventTypes(types []string) error {
	if len(types) == 0 {
		return UnknownEventType.At("event_types").Detailf("Name at least one event type.")
	}
	for _, t := range types {
		if !canBeAsked(t) {
			return UnknownEventType.At("event_types").Detailf("There is no event type %q; the service sends %s.", t,
				strings.Join(append(EventTypes(), messagesByKind...), ", "))
		}
	}
	return nil
}

// CheckURL returns BadURL for a text that is not a web address.
func CheckURL(text string) error {
	if len(text) > 2048 || !webURL(text) {
		return BadURL.At("url")
	}
	return nil
}

// Subscribe are the parameters of Service.Subscribe.
type Subscribe struct {
	App        *App
	URL        string
	EventTypes []string
}

// Subscribe adds an event subscription. The caller must have verified the
// address. It returns UnknownEventType or BadURL.
func (s *Service) Subscribe(ctx context.Context, c Caller, in Subscribe) (*Subscription, error) {
	if err := CheckURL(in.URL); err != nil {
		return nil, err
	}
	if err := CheckEventTypes(in.EventTypes); err != nil {
		return nil, err
	}
	sub := &Subscription{Workspace: c.Workspace, ID: s.IDs.Object("ES"), Kind: Events, App: in.App.ID, Viewer: in.App.BotUserID, URL: in.URL,
		EventTypes: unique(in.EventTypes), Status: Active, Creator: c.ID, Created: s.Clock.Micros()}
	return sub, s.keep(ctx, sub)
}

// OutgoingWebhook are the parameters of CreateOutgoing; only the URL is required.
type OutgoingWebhook struct {
	URL          string
	EventTypes   []string
	Channel      string // id or name
	TriggerWords []string
	Name         string
}

// CreateOutgoing adds an outgoing webhook, by default for messages. It returns
// BadURL, UnknownEventType, ChannelNotFound or TooLong.
func (s *Service) CreateOutgoing(ctx context.Context, c Caller, app *App, in OutgoingWebhook) (*Subscription, error) {
	if err := CheckURL(in.URL); err != nil {
		return nil, err
	}
	if len(in.EventTypes) == 0 {
		in.EventTypes = []string{"message"}
	}
	if err := CheckEventTypes(in.EventTypes); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(in.Name) > 80 || len(in.TriggerWords) > 100 {
		return nil, TooLong
	}
	words := slices.DeleteFunc(unique(in.TriggerWords), func(w string) bool { return strings.TrimSpace(w) == "" })
	sub := &Subscription{Workspace: c.Workspace, ID: s.IDs.Object("OW"), Kind: Outgoing, App: app.ID, Viewer: c.ID, URL: in.URL,
		EventTypes: unique(in.EventTypes), Status: Active, Name: in.Name, TriggerWords: words, Creator: c.ID, Created: s.Clock.Micros()}
	if in.Channel != "" {
		ch, err := s.named(ctx, c, in.Channel)
		if err != nil {
			return nil, err
		}
		sub.Channel = ch.ID
	}
	return sub, s.keep(ctx, sub)
}

// named finds a conversation that the caller can see by its id or name.
func (s *Service) named(ctx context.Context, c Caller, name string) (ch *Channel, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		id := name
		if !conversationID.MatchString(name) {
			if id, err = channelIDByName(tx, c.Workspace, strings.TrimPrefix(name, "#")); err != nil {
				return err
			}
		}
		ch, err = s.visible(tx, c, id)
		return err
	})
	return ch, err
}

func (s *Service) keep(ctx context.Context, sub *Subscription) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() { s.subscribed.Drop(sub.Workspace) })
		return insertSubscription(tx, sub)
	})
}

// Subscriptions lists the subscriptions of a kind that the caller manages after a
// place, oldest first, at most limit.
func (s *Service) Subscriptions(ctx context.Context, c Caller, kind SubscriptionKind, after Place, limit int) (out []*Subscription, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listSubscriptions(tx, c.Workspace, kind, c.owner(), after, limit)
		return err
	})
	return out, err
}

// Unsubscribe removes a subscription and cancels its pending deliveries. It
// returns NotOwner, and SubscriptionNotFound or, for an outgoing webhook,
// WebhookNotFound.
func (s *Service) Unsubscribe(ctx context.Context, c Caller, kind SubscriptionKind, id string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() { s.subscribed.Drop(c.Workspace) })
		sub, err := getSubscription(tx, c.Workspace, kind, id)
		switch {
		case err != nil:
			return err
		case sub == nil && kind == Outgoing:
			return WebhookNotFound
		case sub == nil:
			return SubscriptionNotFound
		}
		if err := s.checkOwner(tx, c, sub.Creator, sub.App); err != nil {
			return err
		}
		if err := deleteSubscription(tx, c.Workspace, id); err != nil {
			return err
		}
		return s.Outbox.Cancel(tx, Name, id)
	})
}

// disable disables a subscription.
func (s *Service) disable(ctx context.Context, workspace, id string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() { s.subscribed.Drop(workspace) })
		if err := updateSubscriptionStatus(tx, workspace, id, Disabled); err != nil {
			return err
		}
		return s.Outbox.Cancel(tx, Name, id)
	})
}

// OutgoingSecrets returns the token and the signing secret of an outgoing
// webhook. They are derived and never stored.
func (s *Service) OutgoingSecrets(sub *Subscription) (token, signing string) {
	purpose := strings.Join([]string{"messaging", sub.Workspace, sub.ID}, "/")
	return s.Deps.Secrets.Text(purpose+"/token", ids.Alnum, 24), s.Deps.Secrets.Text(purpose+"/signing", ids.Hex, 32)
}

// Signing returns the secret that the payloads of a subscription from
// ActiveSubscription are signed with, and the verification token that they
// contain.
func (sub *Subscription) Signing() (token, signing string) { return sub.token, sub.signing }

// active returns the active subscriptions of a workspace with their secrets,
// which are derived here, once for many deliveries.
func (s *Service) active(tx *store.Tx, workspace string) ([]*Subscription, error) {
	subs, err := activeSubscriptions(tx, workspace)
	for _, sub := range subs {
		if sub.Kind == Outgoing {
			sub.token, sub.signing = s.OutgoingSecrets(sub)
		} else {
			sub.token, sub.signing = verificationOf(sub.app, s.Deps.Secrets), signingOf(sub.app, s.Deps.Secrets)
		}
	}
	return subs, err
}

func unique(list []string) []string {
	out := []string{}
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func (s *Service) workspaceOf(ctx context.Context, subscription string) (workspace string, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		workspace, err = workspaceOfSubscription(tx, subscription)
		return err
	})
	return workspace, err
}

// Challenge generates the text that a new address must return.
func (s *Service) Challenge() string { return s.IDs.Secret(52) }
