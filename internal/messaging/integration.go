package messaging

import (
	"encoding/json"
	"slices"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// The refusals of subscriptions, webhooks, commands and interactions.
var (
	SubscriptionNotFound = fault.New(fault.NotFound, "subscription_not_found", "There is no subscription with this id.")
	UnknownEventType     = fault.New(fault.Unprocessable, "unknown_event_type", "There is no event of this type.")
	BadURL               = fault.New(fault.Invalid, "invalid_url", "The URL must be http or https.")
	WebhookNotFound      = fault.New(fault.NotFound, "webhook_not_found", "There is no webhook with this id.")
	CommandNotFound      = fault.New(fault.NotFound, "command_not_found", "There is no such slash command in the workspace.")
	CommandTaken         = fault.New(fault.Conflict, "command_taken", "The workspace has this slash command already.")
	BadCommand           = fault.New(fault.Invalid, "invalid_command", "A command is / and up to 31 characters without blanks.")
	NoRequestURL         = fault.New(fault.Unprocessable, "interactivity_not_configured", "The app's manifest names no settings.interactivity.request_url, or has it switched off.")
	BadPayload           = fault.New(fault.Invalid, "invalid_payload", "The payload is not valid.")
	ResponseSpent        = fault.New(fault.NotFound, "used_url", "This response_url has been used up.")
	ResponseExpired      = fault.New(fault.NotFound, "expired_url", "This response_url has expired, or never was.")
)

// honourManifest registers what an app's manifest asks for: event
// subscriptions of its bot and of the user who installs it, and slash commands.
// There is no handshake: the app learns its signing secret only from the reply
// to this call, so it could not answer one. Event types and commands that are
// not ours, or taken, are left out.
func (s *Service) honourManifest(tx *store.Tx, a *App) error {
	m := &manifest{}
	if err := json.Unmarshal(a.Manifest, m); err != nil {
		return err
	}
	ev := m.Settings.EventSubscriptions
	for viewer, types := range map[string][]string{a.BotUserID: ev.BotEvents, a.Creator: ev.UserEvents} {
		types = slices.DeleteFunc(unique(types), func(t string) bool { return !slices.Contains(subscribable, t) })
		if ev.RequestURL == "" || len(types) == 0 {
			continue
		}
		id := s.derivedID("ES", a.ID+"/events/"+viewer)
		tx.AfterCommit(func() { s.told.drop(a.Workspace) })
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
		_, err := insertCommand(tx, &Command{Workspace: a.Workspace, ID: s.IDs.Object("CM"), App: a.ID, Command: c.Command, URL: c.URL,
			Description: c.Description, UsageHint: c.UsageHint, ShouldEscape: c.Escape, Creator: a.Creator, Created: a.Created})
		if err != nil {
			return err
		}
	}
	return nil
}
