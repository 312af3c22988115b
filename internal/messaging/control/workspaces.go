package control

import (
	"net/http"
	"regexp"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/httpkit"
)

var workspaceRoutes = []route{
	{"POST /api/workspaces", "Create a workspace; the caller is its admin.", createWorkspace},
	{"GET /api/workspaces", "List the workspaces of the account, or those that it may join.", listWorkspaces},
	{"POST /api/workspaces/{id}/join", "Become a member of a workspace: while it is open, or by invitation.", joinWorkspace},
	{"GET /api/workspaces/{id}", "Show a workspace to its members.", getWorkspace},
	{"PUT /api/workspaces/{id}", "Change a workspace; for its admins.", putWorkspace},
	{"DELETE /api/workspaces/{id}", "Delete a workspace and all its tokens; for its admins.", deleteWorkspace},
}

type createWorkspaceRequest struct {
	Name   string `json:"name" required:"true" minLength:"1" maxLength:"80"`
	Domain string `json:"domain,omitempty" description:"1 to 63 of a-z, 0-9 and -; made of the name when left out."`
	Open   *bool  `json:"open,omitempty" description:"Whether anyone with an account may join. Left out: yes while all clients are on this machine."`
}

type putWorkspaceRequest struct {
	Name   string `json:"name,omitempty"`
	Domain string `json:"domain,omitempty"`
	Open   *bool  `json:"open,omitempty" description:"Whether anyone with an account may join; else by invitation."`
}

type joinRequest struct {
	Invitation string `json:"invitation,omitempty" description:"The secret of an invitation: the last part of its url."`
}

type workspaceReply struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Domain    string    `json:"domain"`
	URL       string    `json:"url"`
	Open      bool      `json:"open" description:"Anyone with an account may join."`
	CreatedAt time.Time `json:"created_at"`
}

// membershipReply is a workspace with the account's user in it.
type membershipReply struct {
	workspaceReply
	UserID  string `json:"user_id"`
	IsAdmin bool   `json:"is_admin"`
}

type oneWorkspaceReply struct {
	Workspace workspaceReply `json:"workspace"`
}

// enteredReply is the reply to creating or joining a workspace. The access token
// belongs to the caller's session, and acts as the user in that workspace.
type enteredReply struct {
	Workspace   workspaceReply       `json:"workspace"`
	User        messaging.UserObject `json:"user"`
	AccessToken string               `json:"access_token"`
}

type workspacesReply struct {
	Workspaces []membershipReply `json:"workspaces"`
	NextCursor string            `json:"next_cursor"`
}

func (h *Handler) workspace(w *messaging.Workspace) workspaceReply {
	return workspaceReply{ID: w.ID, Name: w.Name, Domain: w.Domain, URL: h.Service.WorkspaceURL(w.Domain), Open: w.Open, CreatedAt: when(w.Created)}
}

// when returns a time in the form of replies, in whole seconds.
func when(micros int64) time.Time { return time.UnixMicro(micros).UTC().Truncate(time.Second) }

func (h *Handler) memberships(all []messaging.Membership) []membershipReply {
	out := make([]membershipReply, len(all))
	for i, m := range all {
		out[i] = h.membership(m)
	}
	return out
}

func (h *Handler) membership(m messaging.Membership) membershipReply {
	return membershipReply{h.workspace(m.Workspace), m.User.ID, m.User.IsAdmin}
}

var idForm = regexp.MustCompile(`^[A-Z0-9]{1,32}$`)

// workspaceID returns the id in the path. It returns WorkspaceNotFound for a
// text that cannot be an id.
func workspaceID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !idForm.MatchString(id) {
		return "", messaging.WorkspaceNotFound
	}
	return id, nil
}

// entered replies with a workspace and a token for it.
func (h *Handler) entered(w http.ResponseWriter, r *http.Request, status int, p *auth.Principal, acc auth.Account, m messaging.Membership) error {
	token, err := h.Service.EnterWorkspace(r.Context(), p, acc, m)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, status, enteredReply{h.workspace(m.Workspace), m.User.Object(true), token})
	return nil
}

func createWorkspace(h *Handler, w http.ResponseWriter, r *http.Request) error {
	p, acc, err := h.account(w, r)
	if err != nil {
		return err
	}
	var in createWorkspaceRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	m, err := h.Service.FoundWorkspace(r.Context(), acc, in.Name, in.Domain, in.Open)
	if err != nil {
		return err
	}
	return h.entered(w, r, http.StatusCreated, p, acc, m)
}

func joinWorkspace(h *Handler, w http.ResponseWriter, r *http.Request) error {
	p, acc, err := h.account(w, r)
	if err != nil {
		return err
	}
	id, err := workspaceID(r)
	if err != nil {
		return err
	}
	var in joinRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	m, err := h.Service.Join(r.Context(), acc, id, in.Invitation)
	if err != nil {
		return err
	}
	return h.entered(w, r, http.StatusOK, p, acc, m)
}

func listWorkspaces(h *Handler, w http.ResponseWriter, r *http.Request) error {
	_, acc, err := h.account(w, r)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("joinable") == "true" {
		return list[*messaging.Workspace]{
			kind: "workspace",
			find: func(after messaging.Place, limit int) ([]*messaging.Workspace, error) {
				return h.Service.JoinableWorkspaces(r.Context(), acc, after, limit)
			},
			place:  func(x *messaging.Workspace) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
			plural: "workspaces",
			show:   func(x *messaging.Workspace) any { return h.workspace(x) },
		}.serve(w, r)
	}
	return list[messaging.Membership]{
		kind: "workspace",
		find: func(after messaging.Place, limit int) ([]messaging.Membership, error) {
			return h.Service.Memberships(r.Context(), acc.ID, after, limit)
		},
		place: func(x messaging.Membership) messaging.Place {
			return messaging.Place{Created: x.User.Created, ID: x.Workspace.ID}
		},
		plural: "workspaces",
		show:   func(x messaging.Membership) any { return h.membership(x) },
	}.serve(w, r)
}

// member returns the workspace of the path with the account's user in it.
func (h *Handler) member(w http.ResponseWriter, r *http.Request) (*messaging.Membership, error) {
	_, acc, err := h.account(w, r)
	if err != nil {
		return nil, err
	}
	id, err := workspaceID(r)
	if err != nil {
		return nil, err
	}
	return h.Service.Member(r.Context(), acc.ID, id)
}

func getWorkspace(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, oneWorkspaceReply{h.workspace(m.Workspace)})
	return nil
}

func putWorkspace(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	var in putWorkspaceRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	changed, err := h.Service.UpdateWorkspace(r.Context(), messaging.Caller{User: m.User}, given(in.Name), given(in.Domain), in.Open)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, oneWorkspaceReply{h.workspace(changed)})
	return nil
}

// given returns nil for "", since an empty string means absent.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func deleteWorkspace(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.DeleteWorkspace(r.Context(), messaging.Caller{User: m.User}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
