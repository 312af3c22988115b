package app

import (
	"context"
	"errors"
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/messaging"
	"understudy/internal/messaging/acts"
	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/environment"
)

// Population returns the users of all workspaces.
func (m *messagingInstance) Population() environment.Population {
	return environment.Population{List: m.service.People, Find: m.service.Person,
		Sessions: []environment.SessionKind{{Name: "user_token", Kind: auth.User, Prefix: "xoxp-", Scopes: webapi.UserScopes}, {Name: "jwt", Kind: auth.Session}}}
}

// Acts returns the acts of people in a workspace.
func (messagingService) Acts() []environment.Act { return acts.All() }

// Waiting describes the request and reply of a wait.
func (messagingService) Waiting() environment.Act {
	return environment.Act{Name: "wait", New: func() any { return &acts.WaitRequest{} }, Reply: acts.WaitReply{},
		Summary: "Wait until something has popped up for someone: a message, a mention, an app's answer for their eyes alone."}
}

// Inbox returns a sample of an inbox.
func (messagingService) Inbox() any { return acts.InboxReply{} }

// messagingActs performs acts of people of messaging.
type messagingActs struct {
	service *messaging.Service
	client  *http.Client // of the instance
}

// actor returns a person as the rules and as the acts need it.
func (m messagingActs) actor(ctx context.Context, p auth.Person, token string) (messaging.Caller, *acts.Person, error) {
	c, err := m.service.Caller(ctx, &auth.Principal{Tenant: p.Tenant, Subject: p.ID})
	return c, acts.NewPerson(m.client, token, m.service.Clock.Now(),
		func(ctx context.Context) ([]messaging.InboxItem, error) { return m.service.ShownAlone(ctx, c) }), err
}

// Act performs an act as a person. If it succeeds or the app has failed, it also
// stores the act as the person's last one.
func (m messagingActs) Act(ctx context.Context, p auth.Person, token, name string, request any) (any, error) {
	c, by, err := m.actor(ctx, p, token)
	if err != nil {
		return nil, err
	}
	at, err := m.service.InboxEnd(ctx, c)
	if err != nil {
		return nil, err
	}
	out, err := by.Do(ctx, name, request)
	if err == nil || errors.Is(err, environment.AppFailed) {
		if err := m.service.Acted(context.WithoutCancel(ctx), c, at); err != nil {
			return nil, err
		}
	}
	return out, err
}

// Inbox returns the items of a person's inbox.
func (m messagingActs) Inbox(ctx context.Context, p auth.Person, after string, limit int) (any, error) {
	at, err := acts.Place(after)
	if err != nil {
		return nil, err
	}
	c, _, err := m.actor(ctx, p, "")
	if err != nil {
		return nil, err
	}
	items, err := m.service.Inbox(ctx, c, at, limit)
	return acts.NewInboxReply(items), err
}

// Wait waits for an item in a person's inbox.
func (m messagingActs) Wait(ctx context.Context, p auth.Person, token string, request any) (any, error) {
	c, by, err := m.actor(ctx, p, token)
	if err != nil {
		return nil, err
	}
	return by.Wait(ctx, m.service, c, request.(*acts.WaitRequest))
}

// Population returns the users of all organizations.
func (i *trackerInstance) Population() environment.Population {
	return environment.Population{List: i.tracker.People, Find: i.tracker.Person,
		Sessions: []environment.SessionKind{{Name: "api_key", Kind: auth.Key, Prefix: "trk_api_"}, {Name: "jwt", Kind: auth.Session}}}
}

// Population returns the owners of all portals.
func (i *crmInstance) Population() environment.Population {
	return environment.Population{List: i.crm.People, Find: i.crm.Person,
		Sessions: []environment.SessionKind{{Name: "access_token", Kind: auth.OAuth, Prefix: "acting-", Scopes: crm.AllScopes, Tier: crm.DefaultTier}}}
}
