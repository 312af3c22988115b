package rest

import (
	"cmp"
	"net/http"
	"slices"

	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
)

const describe = `The control plane of the issue tracker. The data plane is GraphQL at ` + "`POST /graphql`" + `:
send an API key as it is in the Authorization header, or a key or an access token as Bearer.`

var credentials = []apidocs.Credential{
	{Name: "session", Description: "An access token (JWT) from signup, login or refresh, as Bearer."},
	{Name: "key", Description: "A personal API key (trk_api_…), as it is or as Bearer.", Header: "Authorization"},
}

var (
	session = []string{"session"}
	anyone  = []string{"session", "key"}
)

// pages are the parameters of lists.

// routes is the table of the control plane; the route without a handler is served
// elsewhere and documented here.
var routes = []route{
	{true, (*Handler).signup, apidocs.Operation{Pattern: "POST /api/auth/signup", Group: "Auth", Summary: "Make an account", Body: signupBody{},
		Replies: map[int]any{201: grant{}}, Refusals: []int{400, 409}}},
	{true, (*Handler).login, apidocs.Operation{Pattern: "POST /api/auth/login", Group: "Auth", Summary: "Sign in", Body: loginBody{},
		Replies: map[int]any{200: grant{}}, Refusals: []int{400, 401, 429}}},
	{true, (*Handler).refresh, apidocs.Operation{Pattern: "POST /api/auth/refresh", Group: "Auth", Summary: "Trade a refresh token for a new session",
		Body: refreshBody{}, Replies: map[int]any{200: grant{}}, Refusals: []int{400, 401}}},
	{true, (*Handler).logout, apidocs.Operation{Pattern: "POST /api/auth/logout", Group: "Auth", Summary: "End a session", Body: refreshBody{},
		Replies: map[int]any{204: nil}}},
	{false, (*Handler).changePassword, apidocs.Operation{Pattern: "POST /api/auth/password", Group: "Auth", Credentials: session,
		Summary: "Choose another password; the account's other sessions end", Body: passwordBody{}, Replies: map[int]any{204: nil}, Refusals: []int{400, 401, 403, 429}}},
	{false, (*Handler).found, apidocs.Operation{Pattern: "POST /api/organization", Group: "Organization", Credentials: session,
		Summary: "Make an organization; the caller is its owner", Body: organizationBody{}, Replies: map[int]any{201: grant{}}, Refusals: []int{400, 401, 403, 409}}},
	{false, (*Handler).organization, apidocs.Operation{Pattern: "GET /api/organization", Group: "Organization", Credentials: anyone,
		Summary: "The caller's organization", Replies: map[int]any{200: organizationReply{}}, Refusals: []int{401, 403}}},
	{false, (*Handler).invite, apidocs.Operation{Pattern: "POST /api/organization/invites", Group: "Organization", Credentials: anyone,
		Summary: "Invite an e-mail address; the token is shown this once", Body: inviteBody{}, Replies: map[int]any{201: newInviteReply{}},
		Refusals: []int{400, 401, 403, 409}}},
	{false, (*Handler).invites, apidocs.Operation{Pattern: "GET /api/organization/invites", Group: "Organization", Credentials: anyone,
		Summary: "The invitations that can be accepted", Parameters: pages, Replies: map[int]any{200: invitesReply{}}, Refusals: []int{400, 401, 403}}},
	{false, (*Handler).uninvite, apidocs.Operation{Pattern: "DELETE /api/organization/invites/{id}", Group: "Organization", Credentials: anyone,
		Summary: "Withdraw an invitation", Replies: map[int]any{204: nil}, Refusals: []int{401, 403, 404}}},
	{false, (*Handler).createKey, apidocs.Operation{Pattern: "POST /api/api-keys", Group: "API keys", Credentials: anyone,
		Summary: "Make an API key; its text is shown this once", Body: keyBody{}, Replies: map[int]any{201: newKeyReply{}}, Refusals: []int{400, 401, 403}}},
	{false, (*Handler).keys, apidocs.Operation{Pattern: "GET /api/api-keys", Group: "API keys", Credentials: anyone,
		Summary: "The caller's API keys", Parameters: pages, Replies: map[int]any{200: keysReply{}}, Refusals: []int{400, 401, 403}}},
	{false, (*Handler).revokeKey, apidocs.Operation{Pattern: "DELETE /api/api-keys/{id}", Group: "API keys", Credentials: anyone,
		Summary: "Revoke an API key", Replies: map[int]any{204: nil}, Refusals: []int{401, 403, 404}}},
	{false, (*Handler).createWebhook, apidocs.Operation{Pattern: "POST /api/webhooks", Group: "Webhooks", Credentials: anyone,
		Summary: "Register a webhook", Body: webhookBody{}, Replies: map[int]any{201: webhookReply{}}, Refusals: []int{400, 401, 403, 404}}},
	{false, (*Handler).webhooks, apidocs.Operation{Pattern: "GET /api/webhooks", Group: "Webhooks", Credentials: anyone,
		Summary: "The organization's webhooks", Parameters: pages,
		Replies: map[int]any{200: webhooksReply{}}, Refusals: []int{400, 401, 403}}},
	{false, (*Handler).deleteWebhook, apidocs.Operation{Pattern: "DELETE /api/webhooks/{id}", Group: "Webhooks", Credentials: anyone,
		Summary: "Remove a webhook", Replies: map[int]any{204: nil}, Refusals: []int{401, 403, 404}}},
	{true, (*Handler).health, apidocs.Operation{Pattern: "GET /api/health", Group: "Health", Summary: "Whether the service is up", Replies: map[int]any{200: healthReply{}}}},
	{doc: apidocs.Operation{Pattern: "GET /schema.graphql", Group: "GraphQL", Summary: "The GraphQL schema, as text with descriptions",
		Replies: map[int]any{200: apidocs.Schema{"type": "string"}}}},
	{doc: apidocs.Operation{Pattern: "POST /graphql", Group: "GraphQL", Credentials: anyone, Summary: "Run a GraphQL document",
		Body: graphqlBody{}, Replies: map[int]any{200: apidocs.Schema{"type": "object", "properties": map[string]any{
			"data": map[string]any{"type": "object"}, "errors": map[string]any{"type": "array"}}}}}},
}

type (
	signupBody struct {
		Email    string `json:"email" required:"true"`
		Password string `json:"password" required:"true" minLength:"8" maxLength:"1024"`
		Name     string `json:"name" required:"true"`
		Invite   string `json:"inviteToken" description:"the token of an invitation: the account joins that organization"`
	}
	loginBody struct {
		Email    string `json:"email" required:"true"`
		Password string `json:"password" required:"true"`
	}
	passwordBody struct {
		Current  string `json:"current_password" required:"true"`
		New      string `json:"new_password" required:"true" minLength:"8" maxLength:"1024"`
		Current2 string `json:"currentPassword" description:"current_password as this service spells names"`
		New2     string `json:"newPassword" description:"new_password as this service spells names"`
	}
	refreshBody struct {
		RefreshToken string `json:"refreshToken"`
	}
	organizationBody struct {
		Name   string `json:"name" required:"true"`
		URLKey string `json:"urlKey"`
	}
	keyBody struct {
		Label string `json:"label" required:"true"`
	}
	graphqlBody struct {
		Query         string         `json:"query" required:"true"`
		Variables     map[string]any `json:"variables"`
		OperationName string         `json:"operationName"`
	}
	person struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Name  string `json:"name"`
	}
	organizationReply struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		URLKey string `json:"urlKey"`
	}
	grant struct {
		AccessToken  string             `json:"accessToken"`
		RefreshToken string             `json:"refreshToken"`
		TokenType    string             `json:"tokenType"`
		ExpiresIn    int64              `json:"expiresIn" description:"seconds"`
		User         person             `json:"user"`
		Organization *organizationReply `json:"organization,omitempty"`
	}
	keyReply struct {
		ID        string `json:"id"`
		Label     string `json:"label"`
		CreatedAt string `json:"createdAt" format:"date-time"`
	}
	newKeyReply struct {
		keyReply
		Token string `json:"token"`
	}
	keysReply struct {
		Keys       []keyReply `json:"apiKeys"`
		NextCursor string     `json:"nextCursor"`
	}
	healthReply struct {
		Status string `json:"status"`
	}
)

// grantOf returns the reply for a session. Its user id is that in the
// organization or, without one, the account's.
func grantOf(s *tracker.Session) grant {
	g := grant{AccessToken: s.AccessToken, RefreshToken: s.RefreshToken, TokenType: "Bearer", ExpiresIn: s.ExpiresIn,
		User: person{s.Account.ID, s.Account.Email, s.Account.Name}}
	if s.User != nil {
		g.User = person{s.User.ID, s.User.Email, s.User.Name}
	}
	if o := s.Organization; o != nil {
		g.Organization = &organizationReply{o.ID, o.Name, o.URLKey}
	}
	return g
}

func (h *Handler) granted(status int, s *tracker.Session, err error) (int, any, error) {
	if err != nil {
		return 0, nil, err
	}
	return status, grantOf(s), nil
}

func (h *Handler) signup(c *call) (int, any, error) {
	var in signupBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	s, err := h.d.Tracker.Signup(c.Context(), in.Email, in.Password, in.Name, in.Invite)
	return h.granted(http.StatusCreated, s, err)
}

func (h *Handler) login(c *call) (int, any, error) {
	var in loginBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	switch "" {
	case in.Email:
		return 0, nil, tracker.BadArgument.At("email").Detailf("email should not be empty")
	case in.Password:
		return 0, nil, tracker.BadArgument.At("password").Detailf("password should not be empty")
	}
	s, err := h.d.Tracker.Login(c.Context(), auth.Attempt{Email: in.Email, Password: in.Password, Address: httpkit.ClientAddress(c.Request)})
	return h.granted(http.StatusOK, s, err)
}

func (h *Handler) refresh(c *call) (int, any, error) {
	var in refreshBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	if in.RefreshToken == "" {
		return 0, nil, tracker.BadArgument.At("refreshToken").Detailf("refreshToken should not be empty")
	}
	s, err := h.d.Tracker.Refresh(c.Context(), in.RefreshToken)
	if f, ok := fault.As(err); ok && f.Field != "" { // in the spelling of this service
		err = f.At("refreshToken")
	}
	return h.granted(http.StatusOK, s, err)
}

func (h *Handler) logout(c *call) (int, any, error) {
	var in refreshBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	if in.RefreshToken == "" && c.p == nil {
		return 0, nil, auth.Missing
	}
	return http.StatusNoContent, nil, h.d.Tracker.Logout(c.Context(), c.p, in.RefreshToken)
}

// changePassword accepts its members in the spelling of all services and in this
// service's.
func (h *Handler) changePassword(c *call) (int, any, error) {
	var in passwordBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	change := auth.PasswordChange{Current: cmp.Or(in.Current, in.Current2), New: cmp.Or(in.New, in.New2), Address: httpkit.ClientAddress(c.Request)}
	switch "" {
	case change.Current:
		return 0, nil, tracker.BadArgument.At("current_password").Detailf("current_password should not be empty")
	case change.New:
		return 0, nil, tracker.BadArgument.At("new_password").Detailf("new_password should not be empty")
	}
	return http.StatusNoContent, nil, h.d.Tracker.ChangePassword(c.Context(), c.p, change)
}

func (h *Handler) found(c *call) (int, any, error) {
	var in organizationBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	s, err := h.d.Tracker.Found(c.Context(), c.p, in.Name, in.URLKey)
	return h.granted(http.StatusCreated, s, err)
}

func (h *Handler) organization(c *call) (status int, reply any, err error) {
	err = h.d.Tracker.Read(c.Context(), c.p, func(v *tracker.View) error {
		o, err := v.Organization()
		if err == nil {
			reply = organizationReply{o.ID, o.Name, o.URLKey}
		}
		return err
	})
	return http.StatusOK, reply, err
}

func keyOf(k tracker.APIKey) keyReply { return keyReply{k.ID, k.Label, entity.ISO(k.Created)} }

func (h *Handler) createKey(c *call) (int, any, error) {
	var in keyBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	k, text, err := h.d.Tracker.CreateAPIKey(c.Context(), c.p, in.Label)
	return http.StatusCreated, newKeyReply{keyOf(k), text}, err
}

func (h *Handler) keys(c *call) (int, any, error) {
	limit, err := limit(c.Request)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.d.Tracker.APIKeys(c.Context(), c.p)
	if err != nil {
		return 0, nil, err
	}
	if after := c.URL.Query().Get("cursor"); after != "" {
		at := slices.IndexFunc(all, func(k tracker.APIKey) bool { return k.ID == after })
		if at < 0 {
			return 0, nil, tracker.BadArgument.At("cursor").Detailf("cursor was not issued by this server")
		}
		all = all[at+1:]
	}
	out := keysReply{Keys: []keyReply{}}
	for _, k := range all[:min(limit, len(all))] {
		out.Keys = append(out.Keys, keyOf(k))
	}
	if len(all) > limit {
		out.NextCursor = all[limit-1].ID
	}
	return http.StatusOK, out, nil
}

func (h *Handler) revokeKey(c *call) (int, any, error) {
	return http.StatusNoContent, nil, h.d.Tracker.RevokeAPIKey(c.Context(), c.p, c.PathValue("id"))
}

func (h *Handler) health(*call) (int, any, error) { return http.StatusOK, healthReply{"ok"}, nil }

type (
	webhookBody struct {
		URL           string            `json:"url" required:"true"`
		Label         opt.Opt[string]   `json:"label"`
		Secret        opt.Opt[string]   `json:"secret"`
		TeamID        opt.Opt[string]   `json:"teamId"`
		ResourceTypes opt.Opt[[]string] `json:"resourceTypes"`
		Enabled       opt.Opt[bool]     `json:"enabled"`
	}
	webhookReply struct {
		ID            string   `json:"id"`
		URL           string   `json:"url"`
		Label         *string  `json:"label"`
		Secret        string   `json:"secret"`
		TeamID        *string  `json:"teamId"`
		ResourceTypes []string `json:"resourceTypes"`
		Enabled       bool     `json:"enabled"`
		CreatedAt     string   `json:"createdAt" format:"date-time"`
	}
	webhooksReply struct {
		Webhooks   []webhookReply `json:"webhooks"`
		NextCursor string         `json:"nextCursor"`
	}
)

func webhookOf(w *tracker.Webhook) webhookReply {
	r := webhookReply{ID: w.ID, URL: w.URL, Secret: w.Secret, ResourceTypes: entity.Split(w.ResourceTypes), Enabled: w.Enabled, CreatedAt: entity.ISO(w.Created)}
	if w.Label != "" {
		r.Label = &w.Label
	}
	if w.Team != "" {
		r.TeamID = &w.Team
	}
	return r
}

func (h *Handler) createWebhook(c *call) (int, any, error) {
	var in webhookBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	made, err := h.d.Tracker.CreateWebhook(c.Context(), c.p, tracker.WriteWebhook{URL: opt.Some(in.URL), Label: in.Label, Secret: in.Secret,
		Team: in.TeamID, ResourceTypes: in.ResourceTypes, Enabled: in.Enabled})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, webhookOf(made.Entity), nil
}

func (h *Handler) webhooks(c *call) (int, any, error) {
	found, next, err := list(h, c, tracker.Webhooks.List, webhookOf)
	return http.StatusOK, webhooksReply{found, next}, err
}

func (h *Handler) deleteWebhook(c *call) (int, any, error) {
	_, err := h.d.Tracker.DeleteWebhook(c.Context(), c.p, c.PathValue("id"))
	return http.StatusNoContent, nil, err
}
