package rest

import (
	"cmp"
	"net/http"
	"regexp"
	"time"

	"understudy/internal/crm"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/strict"
)

var accountRoutes = []route{
	{"POST", "/auth/login", public, (*call).login},
	{"POST", "/auth/password", anyCaller, (*call).changePassword},
	{"POST", "/account-info/v3/api-keys", anyCaller, (*call).mintToken},
	{"GET", "/account-info/v3/api-keys", anyCaller, (*call).listPrivateTokens},
	{"DELETE", "/account-info/v3/api-keys/{id}", anyCaller, (*call).revokePrivateToken},
	{"GET", "/account-info/v3/redirect-uris", anyCaller, (*call).redirectURIs},
	{"PUT", "/account-info/v3/redirect-uris", anyCaller, (*call).putRedirectURIs},
	{"GET", "/account-info/v3/details", anyCaller, (*call).accountDetails},
	{"GET", "/account-info/v3/api-usage/daily/private-apps", anyCaller, (*call).dailyUsage},
}

func (c *call) login() error {
	var in struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.Email == "" || in.Password == "" {
		return requiredFields("email", "password")
	}
	s, err := c.CRM.SignIn(c.ctx, c.attempt(in.Email, in.Password))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, struct {
		AccessToken string `json:"accessToken"`
		TokenType   string `json:"tokenType"`
		ExpiresIn   int64  `json:"expiresIn"`
		PortalID    int64  `json:"portalId"`
		UserID      int64  `json:"userId"`
	}{s.AccessToken, "Bearer", s.ExpiresIn, s.Portal, s.User})
}

// attempt returns a sign-in attempt of this client.
func (c *call) attempt(email, password string) auth.Attempt {
	return auth.Attempt{Email: email, Password: password, Address: httpkit.ClientAddress(c.r)}
}

// maxScopeName is the longest scope, in characters. It is not part of the regular
// expression, which would become large.
const maxScopeName = 100

var scopeName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

func (c *call) mintToken() error {
	var in struct {
		Name   string   `json:"name"`
		Label  string   `json:"label"`
		Scopes []string `json:"scopes"`
		Tier   string   `json:"tier"`
		AddOn  bool     `json:"addOn"`
	}
	b, err := c.readBody(&in)
	if err != nil {
		return err
	}
	if f, ok := fault.As(strict.Members(b, &in)); ok { // a misspelt member would create a token with all scopes
		return badInput("%q is not a member of this request", f.Field)
	}
	if in.Name == "" {
		in.Name = in.Label
	}
	if in.Name == "" {
		return requiredFields("name")
	}
	for _, s := range in.Scopes {
		if len(s) > maxScopeName || !scopeName.MatchString(s) {
			return badInput("%q is not a valid scope", s)
		}
	}
	if in.Tier == "" {
		in.Tier = crm.DefaultTier
	}
	if in.AddOn {
		in.Tier += "+addon"
	}
	if _, ok := tiers[in.Tier]; !ok {
		return badInput("%q is not a valid tier; it must be free, starter, professional or enterprise", in.Tier)
	}
	m, err := c.CRM.MintPrivateToken(c.ctx, c.principal, crm.MintToken{Name: in.Name, Scopes: in.Scopes, Tier: in.Tier})
	if err != nil {
		return err
	}
	record.Audit(c.w, "api_key.create", m.ID)
	if len(m.Scopes) == 0 {
		m.Scopes = crm.AllScopes
	}
	return c.reply(http.StatusCreated, struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Token     string   `json:"token"`
		Scopes    []string `json:"scopes"`
		Tier      string   `json:"tier"`
		PortalID  int64    `json:"portalId"`
		CreatedAt string   `json:"createdAt"`
	}{m.ID, in.Name, m.Text, m.Scopes, in.Tier, m.Portal, crm.FormatTime(m.Created)})
}

func (c *call) listPrivateTokens() error {
	all, err := c.CRM.PrivateTokens(c.ctx, c.principal)
	if err != nil {
		return err
	}
	type token struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Scopes    []string `json:"scopes"`
		Tier      string   `json:"tier"`
		CreatedAt string   `json:"createdAt"`
	}
	out := make([]token, len(all))
	for i, t := range all {
		if len(t.Scopes) == 0 {
			t.Scopes = crm.AllScopes
		}
		out[i] = token{t.ID, t.Label, t.Scopes, t.Tier, crm.FormatTime(t.Created)}
	}
	return c.reply(http.StatusOK, map[string]any{"results": out})
}

func (c *call) revokePrivateToken() error {
	if err := c.CRM.RevokePrivateToken(c.ctx, c.principal, c.r.PathValue("id")); err != nil {
		return err
	}
	record.Audit(c.w, "api_key.revoke", c.r.PathValue("id"))
	return c.noContent()
}

// changePassword accepts its members in the spelling of all services and in this
// service's.
func (c *call) changePassword() error {
	var in struct {
		Current  string `json:"current_password"`
		New      string `json:"new_password"`
		Current2 string `json:"currentPassword"`
		New2     string `json:"newPassword"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	change := auth.PasswordChange{Current: cmp.Or(in.Current, in.Current2), New: cmp.Or(in.New, in.New2), Address: httpkit.ClientAddress(c.r)}
	if change.Current == "" || change.New == "" {
		return requiredFields("current_password", "new_password")
	}
	if err := c.CRM.ChangePassword(c.ctx, c.principal, change); err != nil {
		return err
	}
	record.Audit(c.w, "password.change", c.principal.Account)
	return c.noContent()
}

func (c *call) redirectURIs() error {
	cl, err := c.CRM.RedirectURIs(c.ctx, c.principal, c.r.URL.Query().Get("clientId"))
	return c.showRedirects(cl, err)
}

func (c *call) putRedirectURIs() error {
	var in struct {
		ClientID     string   `json:"clientId"`
		RedirectURIs []string `json:"redirectUris"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.RedirectURIs == nil {
		return requiredFields("redirectUris")
	}
	cl, err := c.CRM.SetRedirectURIs(c.ctx, c.principal, in.ClientID, in.RedirectURIs)
	record.Audit(c.w, "redirect_uris.change", cl.ID)
	return c.showRedirects(cl, err)
}

func (c *call) showRedirects(cl crm.Client, err error) error {
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, map[string]any{"clientId": cl.ID, "redirectUris": append([]string{}, cl.Redirects...)})
}

func (c *call) accountDetails() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, struct {
		PortalID             int64    `json:"portalId"`
		AccountType          string   `json:"accountType"`
		TimeZone             string   `json:"timeZone"`
		CompanyCurrency      string   `json:"companyCurrency"`
		AdditionalCurrencies []string `json:"additionalCurrencies"`
		UTCOffset            string   `json:"utcOffset"`
		UTCOffsetMillis      int64    `json:"utcOffsetMilliseconds"`
		UIDomain             string   `json:"uiDomain"`
		DataHostingLocation  string   `json:"dataHostingLocation"`
	}{d.Portal.ID, "STANDARD", "UTC", d.Portal.Currency, []string{}, "+00:00", 0, c.r.Host, "na1"})
}

func (c *call) dailyUsage() error {
	now := c.Clock.Now()
	type usage struct {
		Name         string `json:"name"`
		UsageLimit   int64  `json:"usageLimit"`
		CurrentUsage int64  `json:"currentUsage"`
		CollectedAt  string `json:"collectedAt"`
		FetchStatus  string `json:"fetchStatus"`
		ResetsAt     string `json:"resetsAt"`
	}
	limit, remaining := c.dailyLimit, c.dailyRemaining
	return c.reply(http.StatusOK, map[string]any{"results": []usage{{"private apps", limit, limit - remaining,
		crm.FormatTime(now.UnixMicro()), "SUCCESS", crm.FormatTime(now.Truncate(24 * time.Hour).Add(24 * time.Hour).UnixMicro())}}})
}
