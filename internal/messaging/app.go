package messaging

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// App is an app installed in a workspace, with its bot user.
type App struct {
	Workspace  string
	ID         string
	Name       string
	Manifest   json.RawMessage // as received
	BotID      string
	BotUserID  string
	BotScopes  []string
	UserScopes []string
	Creator    string
	Rotation   int64
	Created    int64    // microseconds
	SeededAs   string   // its name in a seed document; "" for an app that people created
	Warnings   []string // of a new app: what its manifest requests that the service does not have
}

// Secrets of an app. They are derived, never stored.
type Secrets struct {
	BotToken          string
	UserToken         string // of the user that installed the app
	SigningSecret     string
	VerificationToken string
}

// CreateApp creates an app from a manifest, with a bot user and a bot token. It
// returns BadManifest, which names the invalid member.
func (s *Service) CreateApp(ctx context.Context, c Caller, manifest []byte) (*App, error) {
	m, err := parseManifest(manifest)
	if err != nil {
		return nil, err
	}
	var a *App
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		if _, err := lockWorkspace(tx, c.Workspace); err != nil {
			return err
		}
		a, err = s.installApp(tx, c.User, newApp{name: m.Display.Name, botName: m.Features.BotUser.DisplayName, manifest: manifest,
			botScopes: m.OAuth.Scopes.Bot, userScopes: m.OAuth.Scopes.User})
		tx.AfterCommit(func() { s.appChanged(c, a.ID) })
		return err
	})
	return a, err
}

type newApp struct {
	id, botID, botUserID  string // generated when empty
	name, botName         string
	seededAs              string
	manifest              []byte
	botScopes, userScopes []string
}

// installApp creates an app, its bot user and the bot's token, and a token of the
// installing user if the app requests user scopes.
func (s *Service) installApp(tx *store.Tx, installer *User, in newApp) (*App, error) {
	a := &App{Workspace: installer.Workspace, ID: in.id, BotID: in.botID, Name: in.name, Manifest: in.manifest,
		BotScopes: in.botScopes, UserScopes: in.userScopes, Creator: installer.ID, Created: s.Clock.Micros(), SeededAs: in.seededAs}
	if a.ID == "" {
		a.ID = s.IDs.Object("A")
	}
	if a.BotID == "" {
		a.BotID = s.IDs.Object("B")
	}
	if in.botName == "" {
		in.botName = in.name
	}
	bot, err := s.addUser(tx, a.Workspace, NewUser{ID: in.botUserID, RealName: in.botName, BotID: a.BotID, AppID: a.ID})
	if err != nil {
		return nil, err
	}
	a.BotUserID = bot.ID
	if err := insertApp(tx, a); err != nil {
		return nil, err
	}
	if err := s.registerManifest(tx, a); err != nil {
		return nil, err
	}
	return a, s.issueTokens(tx, a)
}

// Secrets returns the current secrets of an app.
func (s *Service) Secrets(a *App) Secrets { return secretsOf(a, s.Deps.Secrets) }

// secretsOf derives the secrets of an app from those of its environment.
func secretsOf(a *App, from *ids.Secrets) Secrets {
	rotation := strconv.FormatInt(a.Rotation, 10)
	purpose := strings.Join([]string{"messaging", a.Workspace, a.ID}, "/")
	text := func(what, alphabet string, n int) string {
		return from.Text(purpose+"/"+what+"/"+rotation, alphabet, n)
	}
	const digits = "0123456789"
	team := "1" + from.Text(purpose+"/team", digits, 11)
	return Secrets{
		BotToken:          fmt.Sprintf("xoxb-%s-%s-%s", team, "1"+text("bot id", digits, 12), text("bot", ids.Alnum, 24)),
		UserToken:         fmt.Sprintf("xoxp-%s-%s-%s-%s", team, "1"+text("user id", digits, 12), "1"+text("app id", digits, 12), text("user", ids.Hex, 32)),
		SigningSecret:     signingOf(a, from),
		VerificationToken: verificationOf(a, from),
	}
}

// signingOf and verificationOf derive one secret of an app.
func signingOf(a *App, from *ids.Secrets) string { return ofApp(a, from, "/signing", ids.Hex, 32) }

func verificationOf(a *App, from *ids.Secrets) string {
	return ofApp(a, from, "/verification", ids.Alnum, 24)
}

func ofApp(a *App, from *ids.Secrets, what, alphabet string, n int) string {
	return from.Text(rotated(strings.Join([]string{"messaging", a.Workspace, a.ID}, "/")+what, a.Rotation), alphabet, n)
}

// rotated returns the purpose of a secret after some rotations.
func rotated(purpose string, rotation int64) string {
	if rotation == 0 {
		return purpose
	}
	return purpose + "/" + strconv.FormatInt(rotation, 10)
}

// issueTokens stores the sha256 of an app's tokens. The ids of tokens contain the
// rotation, so that earlier tokens remain known as revoked.
func (s *Service) issueTokens(tx *store.Tx, a *App) error {
	sec := s.Secrets(a)
	id := fmt.Sprintf("%s/%d", a.ID, a.Rotation)
	err := s.Auth.Issue(tx, sec.BotToken, auth.Token{Service: Name, ID: id + "/bot", Kind: auth.Bot, Tenant: a.Workspace,
		Subject: a.BotUserID, App: a.ID, Scopes: a.BotScopes})
	if err != nil || len(a.UserScopes) == 0 {
		return err
	}
	return s.Auth.Issue(tx, sec.UserToken, auth.Token{Service: Name, ID: id + "/user", Kind: auth.User, Tenant: a.Workspace,
		Subject: a.Creator, App: a.ID, Scopes: a.UserScopes})
}

// rotate replaces the tokens of an app; the old ones stop working.
func (s *Service) rotate(tx *store.Tx, a *App) error {
	if err := s.Auth.RevokeSubject(tx, Name, a.Workspace, "", a.ID); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.subscribed.Drop(a.Workspace) }) // their secrets change
	a.Rotation++
	if err := updateRotation(tx, a); err != nil {
		return err
	}
	return s.issueTokens(tx, a)
}

// Apps returns the apps of the caller's workspace after a place, oldest first,
// at most limit.
func (s *Service) Apps(ctx context.Context, c Caller, after Place, limit int) (out []*App, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listApps(tx, c.Workspace, after, limit)
		return err
	})
	return out, err
}
