package control

import (
	"errors"
	"net/http"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

var accountRoutes = []route{
	{"POST /api/auth/signup", "Make an account, and perhaps a workspace of its own.", signUp},
	{"POST /api/auth/login", "Begin a session with e-mail address and password.", logIn},
	{"POST /api/auth/refresh", "Trade a refresh token for a new session.", refresh},
	{"POST /api/auth/logout", "End a session.", logOut},
	{"POST /api/auth/password", "Choose another password; the account's other sessions end.", changePassword},
	{"GET /api/auth/me", "Tell who calls.", me},
}

type signUpRequest struct {
	Email         string `json:"email" required:"true" format:"email"`
	Password      string `json:"password" required:"true" minLength:"8" maxLength:"1024"`
	Name          string `json:"name" required:"true" minLength:"1" maxLength:"80"`
	WorkspaceName string `json:"workspace_name,omitempty" description:"Creates this workspace too; the account is its admin."`
}

type logInRequest struct {
	Email       string `json:"email" required:"true" format:"email"`
	Password    string `json:"password" required:"true"`
	WorkspaceID string `json:"workspace_id,omitempty" description:"The workspace of the session; else the account's first."`
}

type refreshRequest struct {
	RefreshToken string `json:"refresh_token" required:"true"`
	WorkspaceID  string `json:"workspace_id,omitempty" description:"Moves the session to this workspace."`
}

type logOutRequest struct {
	RefreshToken string `json:"refresh_token,omitempty" description:"Ends the session of this token; the bearer is not needed then."`
}

type passwordRequest struct {
	Current string `json:"current_password" required:"true"`
	New     string `json:"new_password" required:"true" minLength:"8" maxLength:"1024"`
}

type sessionReply struct {
	AccessToken  string                `json:"access_token"`
	RefreshToken string                `json:"refresh_token"`
	TokenType    string                `json:"token_type"`
	ExpiresIn    int64                 `json:"expires_in" description:"Seconds."`
	Account      accountReply          `json:"account"`
	User         *messaging.UserObject `json:"user,omitempty"`
	Workspace    *workspaceReply       `json:"workspace,omitempty"`
}

type accountReply struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

func accountOf(a auth.Account) accountReply { return accountReply{a.ID, a.Email, a.Name} }

type meReply struct {
	Account    accountReply          `json:"account"`
	User       *messaging.UserObject `json:"user"`
	Workspace  *workspaceReply       `json:"workspace"`
	Workspaces []membershipReply     `json:"workspaces"`
}

func (h *Handler) session(s messaging.SignedIn) sessionReply {
	out := sessionReply{AccessToken: s.AccessToken, RefreshToken: s.RefreshToken, TokenType: "Bearer", ExpiresIn: s.ExpiresIn,
		Account: accountOf(s.Account)}
	out.User, out.Workspace = h.userAndWorkspace(s.Membership)
	return out
}

func (h *Handler) userAndWorkspace(m *messaging.Membership) (*messaging.UserObject, *workspaceReply) {
	if m == nil {
		return nil, nil
	}
	u, w := m.User.Object(true), h.workspace(m.Workspace)
	return &u, &w
}

func signUp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	var in signUpRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	out, err := h.Service.SignUp(r.Context(), messaging.SignUp{Email: in.Email, Password: in.Password, Name: in.Name, Workspace: in.WorkspaceName})
	if err != nil {
		return err
	}
	record.SetPrincipal(w, out.Account.ID)
	record.Audit(w, "account.create", out.Account.ID)
	httpkit.WriteJSON(w, http.StatusCreated, h.session(out))
	return nil
}

func logIn(h *Handler, w http.ResponseWriter, r *http.Request) error {
	var in logInRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	email := strings.ToLower(strings.TrimSpace(in.Email))
	switch {
	case email == "":
		return missing.At("email")
	case in.Password == "":
		return missing.At("password")
	}
	out, err := h.Service.LogIn(r.Context(), auth.Attempt{Email: email, Password: in.Password, Address: httpkit.ClientAddress(r)}, in.WorkspaceID)
	if err != nil {
		return err
	}
	record.SetPrincipal(w, out.Account.ID)
	httpkit.WriteJSON(w, http.StatusOK, h.session(out))
	return nil
}

func refresh(h *Handler, w http.ResponseWriter, r *http.Request) error {
	var in refreshRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.RefreshToken == "" {
		return missing.At("refresh_token")
	}
	out, err := h.Service.Refresh(r.Context(), in.RefreshToken, in.WorkspaceID)
	if err != nil {
		return err
	}
	record.SetPrincipal(w, out.Account.ID)
	httpkit.WriteJSON(w, http.StatusOK, h.session(out))
	return nil
}

// logOut ends the session of the bearer token, of the refresh token, or of both.
// The refresh token can end a session whose access token has expired.
func logOut(h *Handler, w http.ResponseWriter, r *http.Request) error {
	var in logOutRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	p, err := h.principal(w, r)
	switch {
	case err != nil && in.RefreshToken == "":
		return err
	case err != nil:
		p = nil
	case p.Kind != auth.Session && in.RefreshToken == "":
		return noSession
	case p.Kind != auth.Session:
		p = nil
	}
	if err := h.Service.LogOut(r.Context(), p, in.RefreshToken); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func me(h *Handler, w http.ResponseWriter, r *http.Request) error {
	p, acc, err := h.account(w, r)
	if err != nil {
		return err
	}
	all, err := h.Service.Memberships(r.Context(), acc.ID, messaging.Place{}, pages.Most)
	if err != nil {
		return err
	}
	out := meReply{Account: accountOf(acc), Workspaces: h.memberships(all)}
	m, err := h.Service.Member(r.Context(), acc.ID, p.Tenant)
	if err != nil && !errors.Is(err, messaging.WorkspaceNotFound) {
		return err
	}
	out.User, out.Workspace = h.userAndWorkspace(m)
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

func changePassword(h *Handler, w http.ResponseWriter, r *http.Request) error {
	p, err := h.principal(w, r)
	if err != nil {
		return err
	}
	var in passwordRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	switch "" {
	case in.Current:
		return missing.At("current_password")
	case in.New:
		return missing.At("new_password")
	}
	change := auth.PasswordChange{Current: in.Current, New: in.New, Address: httpkit.ClientAddress(r)}
	if err := h.Service.ChangePassword(r.Context(), p, change); err != nil {
		return err
	}
	record.Audit(w, "password.change", p.Account)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
