package messaging

import (
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// The errors of subscriptions, webhooks, commands and interactions.
var (
	SubscriptionNotFound = fault.New(fault.NotFound, "subscription_not_found", "There is no subscription with this id.")
	UnknownEventType     = fault.New(fault.Unprocessable, "unknown_event_type", "There is no event of this type.")
	BadURL               = fault.New(fault.Invalid, "invalid_url", "The URL must be http or https, without a user name or password.")
	WebhookNotFound      = fault.New(fault.NotFound, "webhook_not_found", "There is no webhook with this id.")
	CommandNotFound      = fault.New(fault.NotFound, "command_not_found", "There is no such slash command in the workspace.")
	CommandTaken         = fault.New(fault.Conflict, "command_taken", "The workspace has this slash command already.")
	BadCommand           = fault.New(fault.Invalid, "invalid_command", "A command is / and up to 31 characters without blanks.")
	NoRequestURL         = fault.New(fault.Unprocessable, "interactivity_not_configured", "The app's manifest names no settings.interactivity.request_url, or has it switched off.")
	BadPayload           = fault.New(fault.Invalid, "invalid_payload", "The payload is not valid.")
	ResponseSpent        = fault.New(fault.NotFound, "used_url", "This response_url has been used as often as it may be.")
	ResponseExpired      = fault.New(fault.NotFound, "expired_url", "This response_url has expired, or never existed.")
)

// registerManifest registers the event subscriptions of an app's manifest, for
// its bot and for the installing user, and its slash commands. There is no
// handshake: the app learns its signing secret only from the reply to this call.
// Requests for what the service does not have go to a.Warnings.
func (s *Service) registerManifest(tx *store.Tx, a *App) error {
	m := &manifest{}
	if err := json.Unmarshal(a.Manifest, m); err != nil {
		return err
	}
	a.Warnings = m.unserved(a)
	ev := m.Settings.EventSubscriptions
	for viewer, types := range map[string][]string{a.BotUserID: ev.BotEvents, a.Creator: ev.UserEvents} {
		types = slices.DeleteFunc(unique(types), func(t string) bool { return !canBeAsked(t) })
		if ev.RequestURL == "" || len(types) == 0 {
			continue
		}
		id := s.derivedID("ES", a.ID+"/events/"+viewer)
		tx.AfterCommit(func() { s.subscribed.Drop(a.Workspace) })
		err := insertSubscription(tx, &Subscription{Workspace: a.Workspace, ID: id, Kind: Events, App: a.ID, Viewer: viewer,
			URL: ev.RequestURL, EventTypes: types, Status: Active, TriggerWords: []string{}, Creator: a.Creator, Created: a.Created})
		if err != nil {
			return err
		}
	}
	for _, c := range m.Features.SlashCommands {
		if c.URL == "" {
			continue
		}
		made, err := insertCommand(tx, &Command{Workspace: a.Workspace, ID: s.IDs.Object("CM"), App: a.ID, Command: c.Command, URL: c.URL,
			Description: c.Description, UsageHint: c.UsageHint, ShouldEscape: c.Escape, Creator: a.Creator, Created: a.Created})
		if err != nil {
			return err
		}
		if !made {
			a.Warnings = append(a.Warnings, "features.slash_commands: the workspace has the command "+c.Command+" already")
		}
	}
	return nil
}

// unserved returns a sentence, with its place, for each member of a manifest that
// the service does not support.
func (m *manifest) unserved(a *App) (out []string) {
	warn := func(at, detail string) { out = append(out, at+": "+detail) }
	ev := m.Settings.EventSubscriptions
	const events = "settings.event_subscriptions"
	for _, list := range []struct {
		at     string
		types  []string
		scopes []string
	}{{".bot_events", ev.BotEvents, a.BotScopes}, {".user_events", ev.UserEvents, a.UserScopes}} {
		for _, t := range unique(list.types) {
			if !canBeAsked(t) {
				warn(events+list.at, "there is no event type "+t)
			} else if known := eventByName[t]; known != nil && known.never {
				warn(events+list.at, t+" is never sent: nothing in this service causes it")
			} else if need := scopesFor(t); !slices.ContainsFunc(need, func(s string) bool { return slices.Contains(list.scopes, s) }) {
				warn(events+list.at, t+" is not sent without the scope "+strings.Join(need, " or "))
			}
		}
	}
	if ev.RequestURL == "" && len(ev.BotEvents)+len(ev.UserEvents) > 0 {
		warn(events+".request_url", "without an address no event is sent")
	}
	for _, c := range m.Features.SlashCommands {
		if c.URL == "" {
			warn("features.slash_commands", c.Command+" has no url and is left out")
		}
	}
	i := m.Settings.Interactivity
	for _, x := range []struct {
		unserved   bool
		at, detail string
	}{
		{i.IsEnabled != nil && *i.IsEnabled && i.RequestURL == "", "settings.interactivity.request_url", "without an address no interaction is sent"},
		{i.OptionsURL != "", "settings.interactivity.message_menu_options_url", "suggestions for menus are not asked for"},
		{m.Settings.SocketMode, "settings.socket_mode_enabled", "there is no Socket Mode; events go to request URLs and to Socket.IO clients"},
		{m.Settings.TokenRotation, "settings.token_rotation_enabled", "tokens do not expire"},
		{m.Settings.OrgDeploy, "settings.org_deploy_enabled", "there are no organizations of workspaces"},
		{m.Features.AppHome.HomeTab, "features.app_home.home_tab_enabled", "there is no home tab"},
	} {
		if x.unserved {
			warn(x.at, x.detail)
		}
	}
	return out
}

// scopesFor returns the scopes of which each allows some events of a type.
func scopesFor(name string) (out []string) {
	if kind, ok := strings.CutPrefix(name, "message."); ok {
		return []string{kind + ":history"}
	}
	for _, k := range []Kind{Public, Private, MPIM, IM} {
		if scope := neededScope(name, k); !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	return out
}
