package control

import (
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

var invitationRoutes = []route{
	{"POST /api/workspaces/{id}/invitations", "Invite a person into a workspace; for its admins.", invite},
	{"GET /api/workspaces/{id}/invitations", "List the invitations that nobody has accepted yet; for admins.", listInvitations},
	{"DELETE /api/workspaces/{id}/invitations/{invitation}", "Take an invitation back; for admins.", uninvite},
	{"GET /api/invitations/{secret}", "Show the invitation of an address.", showInvitation},
	{"POST /api/invitations/{secret}", "Accept an invitation as the account that calls, which must have its e-mail address.", acceptInvitation},
}

type inviteRequest struct {
	Email string `json:"email" required:"true" format:"email"`
}

type invitationReply struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	URL       string    `json:"url" description:"For the person: GET shows it, POST accepts it."`
	ExpiresAt time.Time `json:"expires_at"`
}

type oneInvitationReply struct {
	Invitation invitationReply `json:"invitation"`
}

type invitationsReply struct {
	Invitations []invitationReply `json:"invitations"`
	NextCursor  string            `json:"next_cursor"`
}

type shownInvitationReply struct {
	Invitation struct {
		Email     string    `json:"email"`
		ExpiresAt time.Time `json:"expires_at"`
	} `json:"invitation"`
	Workspace struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"workspace"`
}

func (h *Handler) invitation(i *messaging.Invitation) invitationReply {
	return invitationReply{ID: i.ID, Email: i.Email, URL: h.BaseURL() + "/api/invitations/" + i.Secret, ExpiresAt: when(i.Expires)}
}

func invite(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	var in inviteRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	made, err := h.Service.InviteToWorkspace(r.Context(), messaging.Caller{User: m.User}, in.Email)
	if err != nil {
		return err
	}
	record.Audit(w, "invitation.create", made.ID)
	httpkit.WriteJSON(w, http.StatusCreated, oneInvitationReply{h.invitation(made)})
	return nil
}

func listInvitations(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.Invitation]{
		kind: "invitation",
		find: func(after messaging.Place, limit int) ([]*messaging.Invitation, error) {
			return h.Service.Invitations(r.Context(), messaging.Caller{User: m.User}, after, limit)
		},
		place:  func(x *messaging.Invitation) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
		plural: "invitations",
		show:   func(x *messaging.Invitation) any { return h.invitation(x) },
	}.serve(w, r)
}

func uninvite(h *Handler, w http.ResponseWriter, r *http.Request) error {
	m, err := h.member(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.Uninvite(r.Context(), messaging.Caller{User: m.User}, r.PathValue("invitation")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// hiddenInvitation replaces an invitation's path in recordings.
const hiddenInvitation = "/api/invitations/[redacted]"

func showInvitation(h *Handler, w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, hiddenInvitation)
	i, workspace, err := h.Service.InvitationBySecret(r.Context(), r.PathValue("secret"))
	if err != nil {
		return err
	}
	var out shownInvitationReply
	out.Invitation.Email, out.Invitation.ExpiresAt = i.Email, when(i.Expires)
	out.Workspace.ID, out.Workspace.Name = workspace.ID, workspace.Name
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

func acceptInvitation(h *Handler, w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, hiddenInvitation)
	p, acc, err := h.account(w, r)
	if err != nil {
		return err
	}
	i, _, err := h.Service.InvitationBySecret(r.Context(), r.PathValue("secret"))
	if err != nil {
		return err
	}
	m, err := h.Service.Join(r.Context(), acc, i.Workspace, r.PathValue("secret"))
	if err != nil {
		return err
	}
	return h.entered(w, r, http.StatusOK, p, acc, m)
}
