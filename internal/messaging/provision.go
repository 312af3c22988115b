package messaging

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Provisioned is a provisioned workspace, from which the `messaging` object of
// the credentials is made.
type Provisioned struct {
	Workspace     *Workspace
	Admin         *User
	AdminEmail    string // of the account; the profile may show another
	AdminPassword string // "" once the admin has chosen another
	App           *App
	Secrets       Secrets
	Apps          []*App // those that seed documents created, or all others
}

// derivedID returns an id of a provisioned object. Such ids are derived, so that
// they never change and need no lookup.
func (s *Service) derivedID(prefix, what string) string {
	return prefix + "0" + s.Deps.Secrets.ID("messaging/id/"+what, ids.Base36, 9)
}

// DefaultWorkspace returns the id of the workspace of credentials.json.
func (s *Service) DefaultWorkspace() string { return s.derivedID("T", "workspace") }

// provisionedIDs are the ids of the objects in a provisioned workspace.
type provisionedIDs struct{ admin, app, bot, botUser string }

func (s *Service) provisionedIDs(workspace string) provisionedIDs {
	of := " " + workspace
	if s.IsDefault(workspace) {
		of = ""
	}
	return provisionedIDs{admin: s.derivedID("U", "admin"+of), app: s.derivedID("A", "app"+of),
		bot: s.derivedID("B", "bot"+of), botUser: s.derivedID("U", "bot user"+of)}
}

// Provision creates the default workspace with its admin, app and tokens.
func (s *Service) Provision(ctx context.Context, botScopes, userScopes []string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		_, err := s.provision(ctx, tx, provisioning{
			workspace: s.DefaultWorkspace(), name: "Understudy", domain: "understudy",
			email: "admin@understudy.example", botScopes: botScopes, userScopes: userScopes})
		return err
	})
}

// ProvisionWorkspace creates another workspace with its own admin, app and
// tokens. It returns BadName.
func (s *Service) ProvisionWorkspace(ctx context.Context, name string, botScopes, userScopes []string) (p Provisioned, err error) {
	if err := checkName(name, "workspace_name"); err != nil {
		return p, err
	}
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		id := s.IDs.Object("T")
		w, err := s.provision(ctx, tx, provisioning{workspace: id, name: name, email: fmt.Sprintf("admin-%s@understudy.example", strings.ToLower(id)),
			botScopes: botScopes, userScopes: userScopes})
		if err == nil {
			p, err = s.provisioned(tx, w)
		}
		return err
	})
	return p, err
}

type provisioning struct {
	workspace, name, domain string
	email                   string
	botScopes, userScopes   []string
}

// passwordPurpose returns the purpose from which the password of a workspace's
// admin is derived after some rotations of its app.
func passwordPurpose(workspace string, rotation int64) string {
	return rotated("messaging/admin/"+workspace, rotation)
}

func (s *Service) provision(ctx context.Context, tx *store.Tx, in provisioning) (string, error) {
	known := s.provisionedIDs(in.workspace)
	acc, err := s.Auth.CreateAccount(tx, Name, auth.Account{ID: s.accountID(), Email: in.email, Name: "Admin"}, auth.DerivedPassword(passwordPurpose(in.workspace, 0)))
	if err != nil {
		return "", err
	}
	w, admin, err := s.CreateWorkspace(ctx, tx, NewWorkspace{ID: in.workspace, Name: in.name, Domain: in.domain,
		Owner: NewUser{ID: known.admin, Account: acc.ID, Email: acc.Email, RealName: acc.Name, Handle: "admin"}})
	if err != nil {
		return "", err
	}
	app, err := s.installApp(tx, admin, newApp{id: known.app, botID: known.bot, botUserID: known.botUser, name: "Understudy", botName: "Understudy Bot",
		manifest:  []byte(`{"display_information":{"name":"Understudy"},"features":{"bot_user":{"display_name":"Understudy Bot"}}}`),
		botScopes: in.botScopes, userScopes: in.userScopes})
	if err != nil {
		return "", err
	}
	// Like every new member, the bot joins general.
	bot, err := getUser(tx, w.ID, app.BotUserID)
	if err != nil {
		return "", err
	}
	return w.ID, s.joinGeneral(ctx, tx, bot)
}

// Default returns the default workspace with its credentials.
func (s *Service) Default(ctx context.Context) (Provisioned, error) {
	return s.Provisioned(ctx, s.DefaultWorkspace())
}

// Provisioned returns a provisioned workspace with its credentials. It returns
// WorkspaceNotFound, and NotProvisioned for a workspace that people created.
func (s *Service) Provisioned(ctx context.Context, workspace string) (p Provisioned, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		p, err = s.provisioned(tx, workspace)
		return err
	})
	return p, err
}

// Rotate renews the credentials of a provisioned workspace: bot and user token,
// signing secret, verification token and the admin's password. It ends the
// admin's sessions. The ids of app, bot and admin, other apps' tokens and other
// people's sessions remain. It returns WorkspaceNotFound or NotProvisioned.
func (s *Service) Rotate(ctx context.Context, workspace string) (p Provisioned, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		p, err = s.rotateWorkspace(tx, workspace)
		return err
	})
	return p, err
}

// RotateDefault is Rotate for the default workspace within a transaction. It does
// nothing if that workspace was deleted.
func (s *Service) RotateDefault(tx *store.Tx) error {
	_, err := s.rotateWorkspace(tx, s.DefaultWorkspace())
	if errors.Is(err, WorkspaceNotFound) {
		err = nil
	}
	return err
}

func (s *Service) rotateWorkspace(tx *store.Tx, workspace string) (p Provisioned, err error) {
	if _, err := lockWorkspace(tx, workspace); err != nil {
		return p, err
	}
	if p, err = s.provisioned(tx, workspace); err != nil {
		return p, err
	}
	if err := s.rotate(tx, p.App); err != nil {
		return p, err
	}
	if err := s.Auth.ResetPassword(tx, Name, p.AdminEmail, passwordPurpose(workspace, p.App.Rotation)); err != nil {
		return p, err
	}
	return s.provisioned(tx, workspace)
}

// IsDefault reports whether workspace is the one in credentials.json.
func (s *Service) IsDefault(workspace string) bool { return workspace == s.DefaultWorkspace() }

func (s *Service) provisioned(tx *store.Tx, workspace string) (p Provisioned, err error) {
	known := s.provisionedIDs(workspace)
	if p.Workspace, err = getWorkspace(tx, workspace); err != nil {
		return p, err
	}
	if p.Workspace == nil {
		return p, WorkspaceNotFound
	}
	if p.Admin, err = getUser(tx, workspace, known.admin); err != nil {
		return p, err
	}
	if p.App, err = getApp(tx, workspace, known.app); err != nil {
		return p, err
	}
	if p.Admin == nil || p.App == nil {
		return p, NotProvisioned
	}
	p.Secrets = s.Secrets(p.App)
	if p.Apps, err = seededApps(tx, workspace); err != nil {
		return p, err
	}
	acc, _, err := s.Auth.Account(tx, Name, p.Admin.Account)
	if err != nil {
		return p, err
	}
	p.AdminEmail = acc.Email
	p.AdminPassword, err = s.Auth.KnownPassword(tx, Name, acc.Email)
	return p, err
}
