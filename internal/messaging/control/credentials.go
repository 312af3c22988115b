package control

import (
	"cmp"

	"understudy/internal/messaging"
)

// credentials is the `messaging` object of credentials.json, and the reply of provisioning.
type credentials struct {
	BaseURL           string `json:"base_url"`
	WorkspaceID       string `json:"workspace_id"`
	AdminUserID       string `json:"admin_user_id"`
	AdminEmail        string `json:"admin_email"`
	AdminPassword     string `json:"admin_password"`
	AppID             string `json:"app_id"`
	BotID             string `json:"bot_id"`
	BotUserID         string `json:"bot_user_id"`
	BotToken          string `json:"bot_token"`
	UserToken         string `json:"user_token"`
	SigningSecret     string `json:"signing_secret"`
	VerificationToken string `json:"verification_token"`

	Apps []appCredentials `json:"apps,omitempty" description:"The apps that seed documents have made, by their names there; in a fork with credentials of its own all other apps."`
}

// appCredentials are the credentials of an additional app.
type appCredentials struct {
	Name string `json:"name"`
	messaging.SeededApp
}

// Credentials returns the credentials of a provisioned workspace. secrets returns
// the secrets of an app.
func Credentials(baseURL string, p messaging.Provisioned, secrets func(*messaging.App) messaging.SeededApp) any {
	out := credentials{BaseURL: baseURL, WorkspaceID: p.Workspace.ID, AdminUserID: p.Admin.ID, AdminEmail: p.AdminEmail,
		AdminPassword: p.AdminPassword, AppID: p.App.ID, BotID: p.App.BotID, BotUserID: p.App.BotUserID,
		BotToken: p.Secrets.BotToken, UserToken: p.Secrets.UserToken,
		SigningSecret: p.Secrets.SigningSecret, VerificationToken: p.Secrets.VerificationToken}
	for _, a := range p.Apps {
		out.Apps = append(out.Apps, appCredentials{cmp.Or(a.SeededAs, a.Name), secrets(a)})
	}
	return out
}
