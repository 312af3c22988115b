package rest

import (
	"net/http"
	"net/url"

	"understudy/internal/crm"
	"understudy/internal/platform/httpkit"
)

// tokenRoutes are the OAuth routes since v3, for each version, and the one that
// describes a private-app token.
var tokenRoutes = []route{
	{"POST", "/oauth/{oauthVersion}/token", public, (*call).exchangeTokensOfBody},
	{"POST", "/oauth/{oauthVersion}/token/introspect", public, (*call).introspectToken},
	{"POST", "/oauth/{oauthVersion}/token/revoke", public, (*call).revokeToken},
	{"POST", "/oauth/v2/private-apps/get/access-token-info", public, (*call).privateTokenInfo},
}

// clientOf returns the client credentials in a form or in Basic authentication.
func (c *call) clientOf(f url.Values) crm.ClientSecret {
	if name, secret, ok := c.r.BasicAuth(); ok && f.Get("client_id") == "" && httpkit.IsText(name) && httpkit.IsText(secret) {
		return crm.ClientSecret{ID: name, Secret: secret}
	}
	return crm.ClientSecret{ID: f.Get("client_id"), Secret: f.Get("client_secret")}
}

// bodyForm reads the fields of the body only: since v3 secrets must not be in the
// query.
func (c *call) bodyForm() (url.Values, error) {
	c.dropQuery()
	return c.form()
}

func (c *call) exchangeTokensOfBody() error {
	c.dropQuery()
	return c.exchangeTokens()
}

// dropQuery replaces the request by a copy without a query.
func (c *call) dropQuery() {
	r, u := *c.r, *c.r.URL
	u.RawQuery = ""
	r.URL, c.r = &u, &r
}

type introspection struct {
	Active    bool     `json:"active"`
	AppID     int64    `json:"app_id,omitempty"`
	ClientID  string   `json:"client_id,omitempty"`
	ExpiresIn *int64   `json:"expires_in,omitempty"`
	HubID     int64    `json:"hub_id,omitempty"`
	HubDomain string   `json:"hub_domain,omitempty"`
	Private   *bool    `json:"is_private_distribution,omitempty"`
	Scopes    []string `json:"scopes,omitempty"`
	Token     string   `json:"token,omitempty"`
	TokenType string   `json:"token_type,omitempty"`
	TokenUse  string   `json:"token_use,omitempty"`
	User      string   `json:"user,omitempty"`
	UserID    int64    `json:"user_id,omitempty"`
}

func (c *call) introspectToken() error {
	f, err := c.bodyForm()
	if err != nil {
		return err
	}
	token := f.Get("token")
	t, err := c.CRM.IntrospectToken(c.ctx, c.clientOf(f), token)
	if err != nil {
		return err
	}
	if t == nil {
		return c.reply(http.StatusOK, introspection{})
	}
	out := introspection{Active: true, AppID: t.App, ClientID: t.Client, HubID: t.Portal, HubDomain: c.r.Host, Scopes: t.Scopes,
		Token: token, TokenType: "bearer", TokenUse: "refresh_token", User: t.User, UserID: t.UserID}
	if !t.Refresh {
		private := false
		out.ExpiresIn, out.Private, out.TokenUse = &t.ExpiresIn, &private, "access_token"
	}
	return c.reply(http.StatusOK, out)
}

func (c *call) revokeToken() error {
	f, err := c.bodyForm()
	if err != nil {
		return err
	}
	if err := c.CRM.RevokeToken(c.ctx, c.clientOf(f), f.Get("token")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusOK)
	return nil
}

func (c *call) privateTokenInfo() error {
	var in struct {
		TokenKey string `json:"tokenKey"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.TokenKey == "" {
		return requiredFields("tokenKey")
	}
	t, err := c.CRM.PrivateTokenInfo(c.ctx, in.TokenKey)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, struct {
		UserID int64    `json:"userId"`
		HubID  int64    `json:"hubId"`
		AppID  int64    `json:"appId"`
		Scopes []string `json:"scopes"`
	}{t.UserID, t.Portal, t.App, t.Scopes})
}
