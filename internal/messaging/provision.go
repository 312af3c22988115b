package messaging

import (
	"context"
	"fmt"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Provisioned is a workspace that is ready to use: the `messaging` object of
// the credentials is made of it.
type Provisioned struct {
	Workspace     *Workspace
	Admin         *User
	AdminPassword string
	App           *App
	Secrets       Secrets
}

// Ids of the default workspace are derived, so that they hold for the
// environment's life and nothing has to be looked up to know them.
func (s *Service) derivedID(prefix, what string) string {
	return prefix + "0" + s.Deps.Secrets.Text("messaging/id/"+what, ids.Base36, 9)
}

func (s *Service) defaultWorkspace() string { return s.derivedID("T", "workspace") }

// Provision makes the default workspace with its admin, app and tokens.
func (s *Service) Provision(ctx context.Context, botScopes, userScopes []string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		_, err := s.provision(ctx, tx, provisioning{
			workspace: s.defaultWorkspace(), name: "Understudy", domain: "understudy", admin: s.derivedID("U", "admin"),
			app: s.derivedID("A", "app"), bot: s.derivedID("B", "bot"), botUser: s.derivedID("U", "bot user"),
			email: "admin@understudy.example", botScopes: botScopes, userScopes: userScopes})
		return err
	})
}

// ProvisionWorkspace makes a further workspace with an admin, an app and tokens of its own.
func (s *Service) ProvisionWorkspace(ctx context.Context, name string, botScopes, userScopes []string) (p Provisioned, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		id := s.IDs.Object("T")
		w, err := s.provision(ctx, tx, provisioning{workspace: id, name: name, email: fmt.Sprintf("admin-%s@understudy.example", id),
			botScopes: botScopes, userScopes: userScopes})
		if err == nil {
			p, err = s.provisioned(tx, w)
		}
		return err
	})
	return p, err
}

type provisioning struct {
	workspace, name, domain  string
	admin, app, bot, botUser string // made up when empty
	email                    string
	botScopes, userScopes    []string
}

func passwordPurpose(workspace string) string { return "messaging/admin/" + workspace }

func (s *Service) provision(ctx context.Context, tx *store.Tx, in provisioning) (string, error) {
	acc, err := s.Auth.CreateAccount(tx, Name, auth.Account{Email: in.email, Name: "Admin"}, auth.DerivedPassword(passwordPurpose(in.workspace)))
	if err != nil {
		return "", err
	}
	w, admin, err := s.CreateWorkspace(ctx, tx, NewWorkspace{ID: in.workspace, Name: in.name, Domain: in.domain,
		Owner: NewUser{ID: in.admin, Account: acc.ID, Email: acc.Email, RealName: acc.Name, Handle: "admin"}})
	if err != nil {
		return "", err
	}
	app, err := s.installApp(tx, admin, newApp{id: in.app, botID: in.bot, botUserID: in.botUser, name: "Understudy", botName: "Understudy Bot",
		manifest:  []byte(`{"display_information":{"name":"Understudy"},"features":{"bot_user":{"display_name":"Understudy Bot"}}}`),
		botScopes: in.botScopes, userScopes: in.userScopes})
	if err != nil {
		return "", err
	}
	// Like everyone who joins, the bot is put into general.
	bot, err := getUser(tx, w.ID, app.BotUserID)
	if err != nil {
		return "", err
	}
	return w.ID, s.joinGeneral(ctx, tx, bot)
}

// Default gives the default workspace with its credentials.
func (s *Service) Default(ctx context.Context) (p Provisioned, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		p, err = s.provisioned(tx, s.defaultWorkspace())
		return err
	})
	return p, err
}

// Rotate makes the tokens of the default app of a workspace anew. The ids of
// app, bot and admin stay; other apps' tokens and sessions go on.
func (s *Service) Rotate(ctx context.Context, workspace string) (p Provisioned, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		if p, err = s.provisioned(tx, workspace); err != nil {
			return err
		}
		if err := s.rotate(tx, p.App); err != nil {
			return err
		}
		p.Secrets = s.Secrets(p.App)
		return nil
	})
	return p, err
}

// IsDefault tells whether this is the workspace of credentials.json.
func (s *Service) IsDefault(workspace string) bool { return workspace == s.defaultWorkspace() }

// provisioned reads a provisioned workspace: its owner and its first app.
func (s *Service) provisioned(tx *store.Tx, workspace string) (p Provisioned, err error) {
	if p.Workspace, err = getWorkspace(tx, workspace); err != nil {
		return p, err
	}
	if p.Workspace == nil {
		return p, WorkspaceNotFound
	}
	owners, err := queryUsers(tx, ownersOf, workspace)
	if err != nil {
		return p, err
	}
	apps, err := listApps(tx, workspace)
	if err != nil {
		return p, err
	}
	if len(owners) == 0 || len(apps) == 0 {
		return p, AppNotFound
	}
	p.Admin, p.App = owners[0], apps[0]
	p.AdminPassword = s.Auth.DerivedPasswordText(passwordPurpose(workspace))
	p.Secrets = s.Secrets(p.App)
	return p, nil
}
