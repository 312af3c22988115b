package understudytest

import "net/url"

// Credentials are those of a world, as credentials.json has them. APIURL of each
// service is what its official client is given.
type Credentials struct {
	Environment     string    `json:"environment"`
	FixturePassword string    `json:"fixture_password"`
	Messaging       Messaging `json:"messaging"`
	CRM             CRM       `json:"crm"`
	Tracker         Tracker   `json:"tracker"`
	Ingest          Ingest    `json:"ingest"`
}

// Messaging are the credentials of the default app in the default workspace.
type Messaging struct {
	BaseURL           string `json:"base_url"`
	APIURL            string `json:"api_url"` // ends in a slash
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
	Apps              []App  `json:"apps"`
}

// App is an app of a seed document.
type App struct {
	Name              string `json:"name"`
	AppID             string `json:"app_id"`
	BotID             string `json:"bot_id"`
	BotUserID         string `json:"bot_user_id"`
	BotToken          string `json:"bot_token"`
	SigningSecret     string `json:"signing_secret"`
	VerificationToken string `json:"verification_token"`
}

// CRM are the credentials of the portal.
type CRM struct {
	BaseURL      string `json:"base_url"`
	APIURL       string `json:"api_url"`
	PortalID     int64  `json:"portal_id"`
	AccessToken  string `json:"access_token"`
	UserEmail    string `json:"user_email"`
	UserPassword string `json:"user_password"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// Tracker are the credentials of the organization.
type Tracker struct {
	BaseURL        string `json:"base_url"`
	APIURL         string `json:"api_url"`
	OrganizationID string `json:"organization_id"`
	URLKey         string `json:"url_key"`
	UserID         string `json:"user_id"`
	UserEmail      string `json:"user_email"`
	UserPassword   string `json:"user_password"`
	APIKey         string `json:"api_key"`
}

// Ingest are the credentials of the project.
type Ingest struct {
	BaseURL        string `json:"base_url"`
	APIURL         string `json:"api_url"`
	OrganizationID string `json:"organization_id"`
	APIKey         string `json:"api_key"`
}

func (c *Credentials) setAPIURLs() {
	c.Messaging.APIURL = c.Messaging.BaseURL + "/api/"
	c.CRM.APIURL = c.CRM.BaseURL + "/api"
	c.Tracker.APIURL = c.Tracker.BaseURL + "/graphql"
	c.Ingest.APIURL = c.Ingest.BaseURL
}

func escape(part string) string { return url.PathEscape(part) }
