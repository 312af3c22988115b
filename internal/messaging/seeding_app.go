package messaging

import (
	"encoding/json"
	"maps"

	"understudy/internal/messaging/seed"
)

// appSeeder installs the apps of a document.
type appSeeder struct{ *seeder }

func (w appSeeder) apply() error {
	for i := range w.doc.Apps {
		e := &w.doc.Apps[i]
		if w.users[e.Name] != nil {
			return e.Refuse("a user of the document has this name")
		}
		owner, err := w.appOwner(&e.Value)
		if err != nil {
			return err
		}
		a, err := w.seedApp(owner, e.Name, &e.Value)
		if err != nil {
			return err
		}
		w.made.Apps[e.Name] = w.s.SeededApp(a)
		if a.Workspace != w.owner.Workspace {
			continue
		}
		bot, err := getUser(w.tx, a.Workspace, a.BotUserID)
		if err != nil {
			return err
		}
		w.users[e.Name] = bot
		w.everyone = append(w.everyone, bot)
	}
	return nil
}

// SeededApp returns an app in the form of Seeded, with its secrets.
func (s *Service) SeededApp(a *App) SeededApp {
	sec := s.Secrets(a)
	out := SeededApp{AppID: a.ID, BotID: a.BotID, BotUserID: a.BotUserID, BotToken: sec.BotToken, SigningSecret: sec.SigningSecret,
		VerificationToken: sec.VerificationToken, Warnings: a.Warnings}
	if len(a.UserScopes) > 0 {
		out.UserToken = sec.UserToken
	}
	return out
}

// appOwner returns the owner of an app of the document: the owner of its
// workspace.
func (w appSeeder) appOwner(in *seed.App) (*User, error) {
	if in.Workspace.Name == "" {
		return w.owner, nil
	}
	found, err := workspacesNamed(w.tx, in.Workspace.Name)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, in.Workspace.Refuse("there is no workspace %q", in.Workspace.Name)
	case len(found) > 1:
		return nil, in.Workspace.Refuse("several workspaces have this name: give an id or a domain")
	}
	if _, err := lockWorkspace(w.tx, found[0]); err != nil {
		return nil, err
	}
	owner, err := ownerOf(w.tx, found[0])
	if err == nil && owner == nil {
		err = in.Workspace.Refuse("the workspace has no owner")
	}
	return owner, err
}

// seedApp installs an app, or returns the app that an earlier document created
// under this name.
func (w appSeeder) seedApp(owner *User, name string, in *seed.App) (*App, error) {
	known, err := seededApps(w.tx, owner.Workspace)
	if err != nil {
		return nil, err
	}
	for _, a := range known {
		if a.SeededAs == name {
			return a, nil
		}
	}
	if in.Interactivity != "" {
		if err := CheckURL(in.Interactivity); err != nil {
			return nil, in.In("interactivity").Blame(err)
		}
	}
	text, m, err := w.manifest(name, in)
	if err != nil {
		return nil, in.In("manifest").Blame(err)
	}
	a, err := w.s.installApp(w.tx, owner, newApp{name: m.Display.Name, botName: m.Features.BotUser.DisplayName, manifest: text, seededAs: name,
		botScopes: m.OAuth.Scopes.Bot, userScopes: m.OAuth.Scopes.User})
	if err != nil {
		return nil, in.Blame(err)
	}
	general, err := generalChannel(w.tx, a.Workspace)
	if err != nil {
		return nil, err
	}
	if ch, err := getChannel(w.tx, a.Workspace, general); err != nil {
		return nil, err
	} else if ch != nil {
		if err := w.s.enter(w.tx, ch, a.BotUserID, a.Created); err != nil {
			return nil, err
		}
	}
	if err := w.seedCommands(a, in.Commands); err != nil {
		return nil, err
	}
	return a, w.seedSubscriptions(a, in.Subscriptions)
}

// manifest returns the manifest of an app, completed by other members of the
// document.
func (w appSeeder) manifest(name string, in *seed.App) ([]byte, *manifest, error) {
	all := map[string]any{}
	for member, value := range in.Manifest {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return nil, nil, BadManifest
		}
		all[member] = v
	}
	setDefault(all, name, "display_information", "name")
	setDefault(all, w.allScopes, "oauth_config", "scopes", "bot")
	if in.Interactivity != "" {
		settings := objectIn(all, "settings")
		interactivity := maps.Clone(objectIn(settings, "interactivity"))
		interactivity["is_enabled"], interactivity["request_url"] = true, in.Interactivity
		settings["interactivity"] = interactivity
	}
	text, err := marshal(all)
	if err != nil {
		return nil, nil, err
	}
	m, err := parseManifest(text)
	return text, m, err
}

// setDefault sets the member at a path if it is absent. It stops at a value on
// the path that is not an object, which validation of the manifest refuses later.
func setDefault(o map[string]any, value any, path ...string) {
	for len(path) > 1 {
		if _, isObject := o[path[0]].(map[string]any); o[path[0]] != nil && !isObject {
			return
		}
		o, path = objectIn(o, path[0]), path[1:]
	}
	if o[path[0]] == nil {
		o[path[0]] = value
	}
}

// objectIn returns the member name of o if it is an object, and else sets it to a
// new one.
func objectIn(o map[string]any, name string) map[string]any {
	m, ok := o[name].(map[string]any)
	if !ok {
		m = map[string]any{}
		o[name] = m
	}
	return m
}

func (w appSeeder) seedCommands(a *App, list []seed.AppCommand) error {
	for i := range list {
		in := &list[i]
		cmd, err := w.s.newCommand(Caller{User: &User{Workspace: a.Workspace, ID: a.Creator}}, a, NewCommand{Command: in.Command, URL: in.URL, Description: in.Description,
			UsageHint: in.UsageHint, ShouldEscape: in.ShouldEscape})
		if err != nil {
			return in.Blame(err)
		}
		made, err := insertCommand(w.tx, cmd)
		if err != nil {
			return err
		}
		if !made {
			return in.In("command").Blame(CommandTaken)
		}
	}
	return nil
}

func (w appSeeder) seedSubscriptions(a *App, list []seed.Subscription) error {
	for i := range list {
		in := &list[i]
		if err := CheckURL(in.URL); err != nil {
			return in.In("url").Blame(err)
		}
		if err := CheckEventTypes(in.EventTypes); err != nil {
			return in.In("event_types").Blame(err)
		}
		w.tx.AfterCommit(func() { w.s.subscribed.Drop(a.Workspace) })
		err := insertSubscription(w.tx, &Subscription{Workspace: a.Workspace, ID: w.s.IDs.Object("ES"), Kind: Events, App: a.ID, Viewer: a.BotUserID,
			URL: in.URL, EventTypes: unique(in.EventTypes), Status: Active, TriggerWords: []string{}, Creator: a.Creator, Created: a.Created})
		if err != nil {
			return err
		}
	}
	return nil
}
