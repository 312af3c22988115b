package messaging

import (
	"context"
	"encoding/json"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// ProvisionedApp refuses to remove the app whose tokens the credentials contain.
var ProvisionedApp = fault.New(fault.Conflict, "provisioned_app", "This is the app of the credentials: it cannot be removed.")

// App returns an app of the caller's workspace, and reports whether the caller
// manages it. It returns AppNotFound.
func (s *Service) App(ctx context.Context, c Caller, id string) (a *App, managed bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		a, err = appOrFirst(tx, c.Workspace, id, "")
		return err
	})
	return a, err == nil && c.manages(a), err
}

// changeApp runs f on an app that the caller manages, and notifies the caller's
// clients. It returns AppNotFound and NotOwner.
func (s *Service) changeApp(ctx context.Context, c Caller, id string, f func(tx *store.Tx, a *App) error) (a *App, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		if _, err := lockWorkspace(tx, c.Workspace); err != nil {
			return err
		}
		if a, err = ownApp(tx, c, id, ""); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.appChanged(c, a.ID) })
		return f(tx, a)
	})
	return a, err
}

// appChanged notifies the caller's clients of a change of an app or of something
// that belongs to it.
func (s *Service) appChanged(c Caller, id string) {
	s.toUser(c, "app_changed", map[string]string{"app_id": id})
}

// UpdateApp replaces the manifest of an app, and with it the name, scopes, event
// subscriptions and slash commands. It returns BadManifest, AppNotFound and
// NotOwner.
func (s *Service) UpdateApp(ctx context.Context, c Caller, id string, text []byte) (*App, error) {
	m, err := parseManifest(text)
	if err != nil {
		return nil, err
	}
	return s.changeApp(ctx, c, id, func(tx *store.Tx, a *App) error {
		was := a.asks()
		had := len(a.UserScopes) > 0
		a.Name, a.Manifest, a.BotScopes, a.UserScopes = m.Display.Name, text, m.OAuth.Scopes.Bot, m.OAuth.Scopes.User
		if err := updateApp(tx, a); err != nil {
			return err
		}
		if err := s.renameBot(ctx, tx, a, m); err != nil {
			return err
		}
		if err := s.dropManifest(tx, a, was); err != nil {
			return err
		}
		if err := s.registerManifest(tx, a); err != nil {
			return err
		}
		if had && len(a.UserScopes) == 0 {
			if err := s.Auth.RevokeSubject(tx, Name, a.Workspace, a.Creator, a.ID); err != nil {
				return err
			}
		}
		return s.issueTokens(tx, a)
	})
}

// renameBot renames the bot user of an app to the name that its manifest asks
// for.
func (s *Service) renameBot(ctx context.Context, tx *store.Tx, a *App, m *manifest) error {
	name := m.Features.BotUser.DisplayName
	if name == "" {
		name = m.Display.Name
	}
	bot, err := getUser(tx, a.Workspace, a.BotUserID)
	if err != nil || bot == nil || bot.Profile.RealName == name {
		return err
	}
	bot.Profile.setRealName(name)
	bot.Updated = s.Clock.Micros()
	if err := s.saveUser(tx, bot); err != nil {
		return err
	}
	return s.userEvents(ctx, tx, bot, "user_change")
}

// dropManifest removes what a manifest registered: event subscriptions and slash
// commands. What was added to the app separately remains.
func (s *Service) dropManifest(tx *store.Tx, a *App, was *manifest) error {
	for _, viewer := range []string{a.BotUserID, a.Creator} {
		id := s.derivedID("ES", a.ID+"/events/"+viewer)
		if err := deleteSubscription(tx, a.Workspace, id); err != nil {
			return err
		}
		if err := s.Outbox.Cancel(tx, Name, id); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.subscribed.Drop(a.Workspace) })
	commands, err := commandsOfApp(tx, a)
	if err != nil {
		return err
	}
	for _, c := range commands {
		named := slices.ContainsFunc(was.Features.SlashCommands, func(x slashCommand) bool { return x.Command == c.Command })
		if !named {
			continue
		}
		if err := deleteCommand(tx, a.Workspace, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// RenewApp replaces the tokens and secrets of an app; the old ones stop working.
// It returns AppNotFound and NotOwner.
func (s *Service) RenewApp(ctx context.Context, c Caller, id string) (*App, error) {
	return s.changeApp(ctx, c, id, func(tx *store.Tx, a *App) error { return s.rotate(tx, a) })
}

// DeleteApp removes an app with its tokens, subscriptions, webhooks and commands,
// and deactivates its bot user. Its messages remain. It returns AppNotFound,
// NotOwner and ProvisionedApp.
func (s *Service) DeleteApp(ctx context.Context, c Caller, id string) error {
	_, err := s.changeApp(ctx, c, id, func(tx *store.Tx, a *App) error {
		if a.ID == s.provisionedIDs(a.Workspace).app {
			return ProvisionedApp
		}
		if err := s.Auth.RevokeSubject(tx, Name, a.Workspace, "", a.ID); err != nil {
			return err
		}
		subscriptions, err := subscriptionsOfApp(tx, a)
		if err != nil {
			return err
		}
		for _, sub := range subscriptions {
			if err := s.Outbox.Cancel(tx, Name, sub.ID); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.subscribed.Drop(a.Workspace) })
		if err := deleteApp(tx, a); err != nil {
			return err
		}
		bot, err := getUser(tx, a.Workspace, a.BotUserID)
		if err != nil || bot == nil {
			return err
		}
		bot.Deleted, bot.Updated = true, s.Clock.Micros()
		if err := s.saveUser(tx, bot); err != nil {
			return err
		}
		return s.userEvents(ctx, tx, bot, "user_change")
	})
	return err
}

// EventSubscription returns an event subscription that the caller manages, with
// its app. It returns SubscriptionNotFound and NotOwner.
func (s *Service) EventSubscription(ctx context.Context, c Caller, id string) (sub *Subscription, a *App, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if sub, err = getSubscription(tx, c.Workspace, Events, id); err != nil {
			return err
		}
		if sub == nil {
			return SubscriptionNotFound
		}
		if err := s.checkOwner(tx, c, sub.Creator, sub.App); err != nil {
			return err
		}
		if a, err = getApp(tx, c.Workspace, sub.App); err == nil && a == nil {
			err = SubscriptionNotFound
		}
		return err
	})
	return sub, a, err
}

// SetSubscription enables or disables a subscription that the caller manages.
// Disabling it cancels its pending deliveries. It returns SubscriptionNotFound
// and NotOwner.
func (s *Service) SetSubscription(ctx context.Context, c Caller, id, status string) (sub *Subscription, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() {
			s.subscribed.Drop(c.Workspace)
			s.appChanged(c, sub.App)
		})
		if sub, err = getSubscription(tx, c.Workspace, Events, id); err != nil {
			return err
		}
		if sub == nil {
			return SubscriptionNotFound
		}
		if err := s.checkOwner(tx, c, sub.Creator, sub.App); err != nil {
			return err
		}
		sub.Status = status
		if err := updateSubscriptionStatus(tx, c.Workspace, id, status); err != nil || status == Active {
			return err
		}
		return s.Outbox.Cancel(tx, Name, id)
	})
	return sub, err
}

// Shortcut is an entry that an app adds to the menu of a message, or to the
// global menu.
type Shortcut struct {
	App      string
	AppName  string
	Callback string
	Name     string
	Type     string // message or global
}

// shortcuts returns the shortcuts in the manifest of an app.
func (a *App) shortcuts() (out []Shortcut) {
	for _, raw := range a.asks().Features.Shortcuts {
		var x struct {
			Name     string `json:"name"`
			Type     string `json:"type"`
			Callback string `json:"callback_id"`
		}
		if json.Unmarshal(raw, &x) == nil && x.Name != "" && x.Callback != "" {
			out = append(out, Shortcut{App: a.ID, AppName: a.Name, Callback: x.Callback, Name: x.Name, Type: x.Type})
		}
	}
	return out
}
