package rest

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/crm"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/httpkit"
)

var oauthRoutes = []route{
	{"POST", "/oauth/v1/token", public, (*call).exchangeTokens},
	{"GET", "/oauth/v1/access-tokens/{token}", public, (*call).accessTokenInfo},
	{"GET", "/oauth/v1/refresh-tokens/{token}", public, (*call).refreshTokenInfo},
	{"DELETE", "/oauth/v1/refresh-tokens/{token}", public, (*call).revokeRefreshToken},
}

// oauthErrors maps the error codes of upstream to those of RFC 6749.
var oauthErrors = map[string]string{
	"BAD_AUTH_CODE": "invalid_grant", "BAD_REFRESH_TOKEN": "invalid_grant", "BAD_REDIRECT_URI": "invalid_grant",
	"BAD_CLIENT_ID": "invalid_client", "BAD_CLIENT_SECRET": "invalid_client", "BAD_GRANT_TYPE": "unsupported_grant_type",
	"BAD_CODE_CHALLENGE_METHOD": "invalid_request",
}

const maxForm = 64 << 10

// form reads fields from a form or a JSON object of strings, and from the query.
func (c *call) form() (url.Values, error) {
	fields := c.r.URL.Query()
	media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	b, err := httpkit.ReadBody(c.r, maxForm)
	if err != nil {
		return nil, err
	}
	if media == "application/json" {
		var in map[string]text
		if err := httpkit.DecodeJSON(c.ctx, b, &in); err != nil {
			return nil, located(b, &in, err)
		}
		for k, v := range in {
			fields.Set(k, string(v))
		}
		return fields, nil
	}
	more, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, badInput("The form is not valid: %s", err)
	}
	for k, v := range more {
		fields[k] = v
	}
	return fields, checkTexts(fields)
}

// words splits a list at blanks and commas.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
}

func (c *call) exchangeTokens() error {
	f, err := c.form()
	if err != nil {
		return err
	}
	in := crm.Exchange{GrantType: f.Get("grant_type"), ClientID: f.Get("client_id"), ClientSecret: f.Get("client_secret"), Code: f.Get("code"),
		RedirectURI: f.Get("redirect_uri"), RefreshToken: f.Get("refresh_token"), Verify: f.Get("code_verifier"), Scopes: words(f.Get("scope"))}
	if name, secret, ok := c.r.BasicAuth(); ok && in.ClientID == "" && httpkit.IsText(name) {
		in.ClientID, in.ClientSecret = name, secret
	}
	t, err := c.CRM.ExchangeTokens(c.ctx, in)
	if err != nil {
		return err
	}
	use := "access_token"
	if in.GrantType == "client_credentials" {
		use = "client_credentials"
	}
	return c.reply(http.StatusOK, struct {
		TokenType    string   `json:"token_type"`
		AccessToken  string   `json:"access_token"`
		RefreshToken string   `json:"refresh_token,omitempty"`
		ExpiresIn    int64    `json:"expires_in"`
		HubID        int64    `json:"hub_id"`
		UserID       int64    `json:"user_id,omitempty"`
		Scopes       []string `json:"scopes"`
		TokenUse     string   `json:"token_use"`
	}{"bearer", t.AccessToken, t.RefreshToken, t.ExpiresIn, t.Portal, t.User, t.Scopes, use})
}

type tokenInfoReply struct {
	Token     string   `json:"token"`
	User      string   `json:"user"`
	HubDomain string   `json:"hub_domain"`
	Scopes    []string `json:"scopes"`
	HubID     int64    `json:"hub_id"`
	AppID     int64    `json:"app_id,omitempty"`
	ClientID  string   `json:"client_id,omitempty"`
	ExpiresIn *int64   `json:"expires_in,omitempty"`
	UserID    int64    `json:"user_id"`
	TokenType string   `json:"token_type"`
}

func (c *call) accessTokenInfo() error {
	t, err := c.CRM.AccessTokenInfo(c.ctx, c.r.PathValue("token"))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, tokenInfoReply{Token: c.r.PathValue("token"), User: t.User, HubDomain: c.r.Host, Scopes: t.Scopes,
		HubID: t.Portal, AppID: t.App, ExpiresIn: &t.ExpiresIn, UserID: t.UserID, TokenType: "access"})
}

func (c *call) refreshTokenInfo() error {
	t, err := c.CRM.RefreshTokenInfo(c.ctx, c.r.PathValue("token"))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, tokenInfoReply{Token: c.r.PathValue("token"), User: t.User, HubDomain: c.r.Host, Scopes: t.Scopes,
		HubID: t.Portal, ClientID: t.Client, UserID: t.UserID, TokenType: "refresh"})
}

func (c *call) revokeRefreshToken() error {
	if err := c.CRM.RevokeRefreshToken(c.ctx, c.r.PathValue("token")); err != nil {
		return err
	}
	return c.noContent()
}

// authorizeInput reads an authorization request.
func authorizeInput(q url.Values) crm.Authorize {
	return crm.Authorize{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), Scopes: words(q.Get("scope")),
		Challenge: q.Get("code_challenge"), Method: q.Get("code_challenge_method")}
}

// authorize replies with the consent page; a client that already has a session
// gets its code as JSON.
func (c *call) authorize() error {
	in := authorizeInput(c.r.URL.Query())
	client, err := c.CRM.CheckAuthorize(c.ctx, in)
	if err != nil {
		return err
	}
	token := httpkit.Bearer(c.r)
	if token == "" {
		return c.consentPage(client, in, http.StatusOK, "")
	}
	p, err := c.Auth.Resolve(c.ctx, crm.Name, token)
	if err != nil {
		return err
	}
	if p.Kind != auth.Session || p.Tenant == "" {
		return auth.Invalid
	}
	code, err := c.CRM.GrantCode(c.ctx, p, in)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, map[string]string{"code": code, "redirectUri": c.redirection(in, code)})
}

// redirection returns the redirect URI with a code.
func (c *call) redirection(in crm.Authorize, code string) string {
	u, _ := url.Parse(in.RedirectURI) // validated before
	q := u.Query()
	q.Set("code", code)
	if state := c.r.URL.Query().Get("state"); state != "" {
		q.Set("state", state)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// consent handles the form of the consent page.
func (c *call) consent() error {
	in := authorizeInput(c.r.URL.Query())
	client, err := c.CRM.CheckAuthorize(c.ctx, in)
	if err != nil {
		return err
	}
	f, err := c.form()
	if err != nil {
		return err
	}
	s, err := c.CRM.SignIn(c.ctx, c.attempt(f.Get("email"), f.Get("password")))
	switch {
	case errors.Is(err, auth.BadLogin):
		return c.consentPage(client, in, http.StatusUnauthorized, "The e-mail address or the password is wrong.")
	case errors.Is(err, auth.TooManyFailures):
		httpkit.SetRetryAfter(c.w, err)
		return c.consentPage(client, in, http.StatusTooManyRequests, "Too many attempts have failed. Try again in a minute.")
	}
	if err != nil {
		return err
	}
	code, err := c.CRM.GrantCode(c.ctx, s.Principal(), in)
	if err != nil {
		return err
	}
	http.Redirect(c.w, c.r, c.redirection(in, code), http.StatusSeeOther)
	return nil
}
