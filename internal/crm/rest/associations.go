package rest

import (
	"net/http"
	"regexp"

	"understudy/internal/crm"
)

var associationRoutes = []route{
	{"PUT", "/crm/v4/objects/{from}/{id}/associations/default/{to}/{toId}", writeTypes, (*call).associateDefault},
	{"PUT", "/crm/v4/objects/{from}/{id}/associations/{to}/{toId}", writeTypes, (*call).associateLabeled},
	{"GET", "/crm/v4/objects/{from}/{id}/associations/{to}", readTypes, (*call).listAssociations},
	{"DELETE", "/crm/v4/objects/{from}/{id}/associations/{to}/{toId}", writeTypes, (*call).dissociate},
	{"POST", "/crm/v4/associations/{from}/{to}/batch/create", writeTypes, (*call).batchAssociate},
	{"POST", "/crm/v4/associations/{from}/{to}/batch/associate/default", writeTypes, (*call).batchAssociateDefault},
	{"POST", "/crm/v4/associations/{from}/{to}/batch/read", readTypes, (*call).batchReadAssociations},
	{"POST", "/crm/v4/associations/{from}/{to}/batch/archive", writeTypes, (*call).batchDissociate},
	{"POST", "/crm/v4/associations/{from}/{to}/batch/labels/archive", writeTypes, (*call).batchRemoveLabels},
	{"GET", "/crm/v4/associations/{from}/{to}/labels", readTypes, (*call).listLabels},
	{"GET", "/crm/associations/v4/{from}/{to}/labels", readTypes, (*call).listLabels},
}

// labelsPath matches the paths of labels. Upstream's methods that write labels
// are left out by design, and reply as for an unknown path.
var labelsPath = regexp.MustCompile(`/associations(/v4|/[0-9-]+)?/[^/]+/[^/]+/labels/?$`)

const (
	maxAssociationInputs = 2_000
	maxAssociationReads  = 1_000
)

// associateOne links one pair, and returns the pair's error.
func (c *call) associateOne(types []crm.AssociationSpec) (crm.Associated, error) {
	out, refused, err := c.CRM.Associate(c.ctx, c.principal, c.t, c.to, []crm.Pair{{From: c.r.PathValue("id"), To: c.r.PathValue("toId"), Types: types}})
	if err == nil && len(refused) > 0 {
		err = refused[0].Err
	}
	if err != nil {
		return crm.Associated{}, err
	}
	return out[0], nil
}

func (c *call) associateDefault() error {
	b := c.newBatch()
	a, err := c.associateOne(nil)
	if err != nil {
		return err
	}
	for _, r := range defaultReplies(a) {
		b.add(func(out []byte) []byte { return appendJSON(out, r) })
	}
	return c.replyBatch(b, http.StatusOK)
}

func (c *call) associateLabeled() error {
	var in []specInput
	if err := c.body(&in); err != nil {
		return err
	}
	a, err := c.associateOne(specs(in))
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, c.labeled(a))
}

func (c *call) dissociate() error {
	pair := crm.Pair{From: c.r.PathValue("id"), To: c.r.PathValue("toId")}
	if err := c.CRM.Dissociate(c.ctx, c.principal, c.t, c.to, []crm.Pair{pair}); err != nil {
		return err
	}
	return c.noContent()
}

// associationPage reads a page of a record's associations.
func (c *call) associationPage() ([]crm.RecordAssociations, *paging, error) {
	limit, err := c.limit(crm.MaxAssociations, crm.MaxAssociations)
	if err != nil {
		return nil, nil, err
	}
	after, err := c.after()
	if err != nil {
		return nil, nil, err
	}
	_, page, more, err := c.CRM.Associations(c.ctx, c.principal, c.t, c.r.PathValue("id"), c.to, after, limit)
	if err != nil {
		return nil, nil, err
	}
	if !more {
		return page, nil, nil
	}
	last := id(page[len(page)-1].ToID)
	return page, &paging{nextPage{last, c.link(last)}}, nil
}

func (c *call) listAssociations() error {
	page, next, err := c.associationPage()
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, struct {
		Results []multiReply `json:"results"`
		Paging  *paging      `json:"paging,omitempty"`
	}{c.multiReplies(page), next})
}

func (c *call) listLabels() error {
	return c.reply(http.StatusOK, map[string]any{"results": labelReplies(crm.AssociationTypes(c.t, c.to))})
}
