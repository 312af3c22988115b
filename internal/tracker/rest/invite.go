package rest

import (
	"net/http"

	"understudy/internal/platform/httpkit"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
)

type (
	inviteBody struct {
		Email string `json:"email" required:"true"`
		Role  string `json:"role" enum:"member,admin,guest" description:"member when left out"`
	}
	inviteReply struct {
		ID        string `json:"id"`
		Email     string `json:"email"`
		Role      string `json:"role"`
		ExpiresAt string `json:"expiresAt" format:"date-time"`
	}
	newInviteReply struct {
		inviteReply
		Token string `json:"token"`
		URL   string `json:"url"`
	}
	invitesReply struct {
		Invites    []inviteReply `json:"invites"`
		NextCursor string        `json:"nextCursor"`
	}
)

func inviteOf(i *tracker.Invite) inviteReply {
	return inviteReply{i.ID, i.Email, i.Role, entity.ISO(i.Expires)}
}

func (h *Handler) invite(c *call) (int, any, error) {
	var in inviteBody
	if err := httpkit.ReadJSON(c.Request, maxBody, &in); err != nil {
		return 0, nil, err
	}
	made, token, err := h.d.Tracker.Invite(c.Context(), c.p, in.Email, in.Role)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, newInviteReply{inviteOf(made), token, h.d.Tracker.InviteURL(token)}, nil
}

func (h *Handler) invites(c *call) (int, any, error) {
	found, next, err := list(h, c, (*tracker.View).OpenInvites, inviteOf)
	return http.StatusOK, invitesReply{found, next}, err
}

func (h *Handler) uninvite(c *call) (int, any, error) {
	return http.StatusNoContent, nil, h.d.Tracker.Uninvite(c.Context(), c.p, c.PathValue("id"))
}
