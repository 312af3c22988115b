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
	out := invitesReply{Invites: []inviteReply{}}
	first, err := limitOf(c.Request)
	if err != nil {
		return 0, nil, err
	}
	err = h.d.Tracker.Read(c.Context(), c.p, func(v *tracker.View) error {
		page, err := v.OpenInvites(entity.Query{First: &first, After: c.URL.Query().Get("cursor")})
		if err != nil {
			return err
		}
		for _, i := range page.Nodes {
			out.Invites = append(out.Invites, inviteOf(i))
		}
		if page.HasNext {
			out.NextCursor = page.Cursor(page.Nodes[len(page.Nodes)-1])
		}
		return nil
	})
	return http.StatusOK, out, err
}

func (h *Handler) uninvite(c *call) (int, any, error) {
	return http.StatusNoContent, nil, h.d.Tracker.Uninvite(c.Context(), c.p, c.PathValue("id"))
}
