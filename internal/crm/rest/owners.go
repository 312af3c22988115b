package rest

import (
	"net/http"

	"understudy/internal/crm"
)

var ownerRoutes = []route{
	{"GET", "/crm/v3/owners", readOwners, (*call).listOwners},
	{"GET", "/crm/v3/owners/{owner}", readOwners, (*call).getOwner},
}

type ownerReply struct {
	ID                 string `json:"id"`
	Email              string `json:"email"`
	Type               string `json:"type"`
	FirstName          string `json:"firstName"`
	LastName           string `json:"lastName"`
	UserID             int64  `json:"userId,omitempty"` // archived owners have none
	UserIDWithInactive int64  `json:"userIdIncludingInactive"`
	CreatedAt          string `json:"createdAt"`
	UpdatedAt          string `json:"updatedAt"`
	Archived           bool   `json:"archived"`
}

func owner(o crm.Owner) ownerReply {
	out := ownerReply{id(o.ID), o.Email, "PERSON", o.FirstName, o.LastName, o.UserID, o.UserID,
		crm.FormatTime(o.Created), crm.FormatTime(o.Updated), o.Archived != 0}
	if o.Archived != 0 {
		out.UserID = 0
	}
	return out
}

func (c *call) listOwners() error {
	limit, err := c.limit(100, 500)
	if err != nil {
		return err
	}
	after, err := c.after()
	if err != nil {
		return err
	}
	archived, err := c.flag("archived")
	if err != nil {
		return err
	}
	d, err := c.definitions()
	if err != nil {
		return err
	}
	owners, more := d.Owners(crm.OwnerFilter{Email: c.r.URL.Query().Get("email"), Archived: archived, After: after, Limit: limit})
	reply := struct {
		Results []ownerReply `json:"results"`
		Paging  *paging      `json:"paging,omitempty"`
	}{Results: []ownerReply{}}
	for _, o := range owners {
		reply.Results = append(reply.Results, owner(o))
	}
	if more {
		last := reply.Results[len(reply.Results)-1].ID
		reply.Paging = &paging{nextPage{last, c.link(last)}}
	}
	return c.reply(http.StatusOK, reply)
}

func (c *call) getOwner() error {
	archived, err := c.flag("archived")
	if err != nil {
		return err
	}
	by := c.r.URL.Query().Get("idProperty")
	if by != "" && by != "id" && by != "userId" {
		return badInput("Invalid idProperty %q: it must be id or userId", by)
	}
	d, err := c.definitions()
	if err != nil {
		return err
	}
	o, err := d.FindOwner(c.r.PathValue("owner"), by == "userId", archived)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, owner(o))
}
