package control

import "understudy/internal/messaging"

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
}

// Credentials returns the credentials of a provisioned workspace.
func Credentials(baseURL string, p messaging.Provisioned) any {
	return credentials{BaseURL: baseURL, WorkspaceID: p.Workspace.ID, AdminUserID: p.Admin.ID, AdminEmail: p.Admin.Email,
		AdminPassword: p.AdminPassword, AppID: p.App.ID, BotID: p.App.BotID, BotUserID: p.App.BotUserID,
		BotToken: p.Secrets.BotToken, UserToken: p.Secrets.UserToken,
		SigningSecret: p.Secrets.SigningSecret, VerificationToken: p.Secrets.VerificationToken}
}
