package rest

import (
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/platform/opt"
)

type groupReply struct {
	Name         string `json:"name"`
	Label        string `json:"label"`
	DisplayOrder int    `json:"displayOrder"`
	Archived     bool   `json:"archived"`
}

func group(g crm.Group) groupReply {
	return groupReply{g.Name, g.Label, g.DisplayOrder, g.ArchivedAt != 0}
}

func (c *call) listGroups() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	results := []groupReply{}
	for _, g := range d.Groups(c.t) {
		results = append(results, group(g))
	}
	return c.reply(http.StatusOK, map[string]any{"results": results})
}

func (c *call) getGroup() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	g, err := d.FindGroup(c.t, c.r.PathValue("name"))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, group(g))
}

func (c *call) createGroup() error {
	var in struct {
		Name         string `json:"name"`
		Label        string `json:"label"`
		DisplayOrder *whole `json:"displayOrder"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	var missing []string
	if in.Name == "" {
		missing = append(missing, "name")
	}
	if in.Label == "" {
		missing = append(missing, "label")
	}
	if missing != nil {
		return requiredFields(missing...)
	}
	g := crm.Group{Name: in.Name, Label: in.Label, DisplayOrder: -1}
	if in.DisplayOrder != nil {
		g.DisplayOrder = int(*in.DisplayOrder)
	}
	g, err := c.CRM.CreateGroup(c.ctx, c.principal, c.t, g)
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, group(g))
}

func (c *call) updateGroup() error {
	var in struct {
		Label        opt.Opt[string] `json:"label"`
		DisplayOrder opt.Opt[whole]  `json:"displayOrder"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	g, err := c.CRM.UpdateGroup(c.ctx, c.principal, c.t, c.r.PathValue("name"), crm.UpdateGroup{Label: in.Label, DisplayOrder: optInt(in.DisplayOrder)})
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, group(g))
}

func (c *call) archiveGroup() error {
	if err := c.CRM.ArchiveGroup(c.ctx, c.principal, c.t, c.r.PathValue("name")); err != nil {
		return err
	}
	return c.noContent()
}
