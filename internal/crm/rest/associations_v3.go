package rest

import (
	"net/http"

	"understudy/internal/crm"
)

var associationRoutesV3 = []route{
	{"GET", "/crm/v3/objects/{from}/{id}/associations/{to}", readTypes, (*call).listAssociationsV3},
	{"POST", "/crm/v3/associations/{from}/{to}/batch/read", readTypes, (*call).batchReadAssociationsV3},
	{"GET", "/crm/v3/associations/{from}/{to}/types", readTypes, (*call).listTypesV3},
	{"PUT", "/crm/v3/objects/{from}/{id}/associations/{to}/{toId}/{associationType}", writeTypes, (*call).associateV3},
	{"DELETE", "/crm/v3/objects/{from}/{id}/associations/{to}/{toId}/{associationType}", writeTypes, (*call).dissociateV3},
	{"POST", "/crm/v3/associations/{from}/{to}/batch/create", writeTypes, (*call).batchAssociateV3},
	{"POST", "/crm/v3/associations/{from}/{to}/batch/archive", writeTypes, (*call).batchDissociateV3},
}

type typedRef struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

func typedRefs(page []crm.RecordAssociations) []typedRef {
	out := []typedRef{}
	for _, a := range page {
		for _, t := range a.Types {
			out = append(out, typedRef{id(a.ToID), t.Name})
		}
	}
	return out
}

func (c *call) listAssociationsV3() error {
	page, next, err := c.associationPage()
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, struct {
		Results []typedRef `json:"results"`
		Paging  *paging    `json:"paging,omitempty"`
	}{typedRefs(page), next})
}

func (c *call) listTypesV3() error {
	type typeReply struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	results := []typeReply{}
	for _, t := range crm.AssociationTypes(c.t, c.to) {
		results = append(results, typeReply{id(t.TypeID), t.Name})
	}
	return c.reply(http.StatusOK, map[string]any{"results": results})
}

func (c *call) batchReadAssociationsV3() error {
	return c.associationsOf("v3", crm.MaxAssociationsOld, func(page []crm.RecordAssociations) any { return typedRefs(page) })
}

// pairV3 returns the pair in the path, with its type by name or number.
func (c *call) pairV3() (crm.Pair, error) {
	t, err := crm.FindAssociationType(c.t, c.to, c.r.PathValue("associationType"))
	if err != nil {
		return crm.Pair{}, err
	}
	return crm.Pair{From: c.r.PathValue("id"), To: c.r.PathValue("toId"), Types: specOf(t)}, nil
}

func specOf(t *crm.AssociationType) []crm.AssociationSpec {
	return []crm.AssociationSpec{{Category: crm.HubspotDefined, TypeID: t.TypeID}}
}

func (c *call) associateV3() error {
	pair, err := c.pairV3()
	if err != nil {
		return err
	}
	if _, err := c.associateOne(pair.Types); err != nil {
		return err
	}
	r, err := c.CRM.GetRecord(c.ctx, c.principal, c.t, "", c.r.PathValue("id"), crm.ReadOptions{Associations: []crm.Type{c.to}})
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, c.selectProperties(d, nil).appendRecord(nil, r))
}

func (c *call) dissociateV3() error {
	pair, err := c.pairV3()
	if err != nil {
		return err
	}
	if err := c.CRM.Dissociate(c.ctx, c.principal, c.t, c.to, []crm.Pair{pair}); err != nil {
		return err
	}
	return c.noContent()
}

// pairsV3 reads a batch of pairs, each with its type.
func (c *call) pairsV3() ([]crm.Pair, error) {
	var in struct {
		Inputs []struct {
			From *refInput `json:"from"`
			To   *refInput `json:"to"`
			Type text      `json:"type"`
		} `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if err := inputs(in.Inputs, maxAssociationInputs); err != nil {
		return nil, err
	}
	pairs := make([]crm.Pair, len(in.Inputs))
	for i, p := range in.Inputs {
		missing := missingEnds(p.From, p.To)
		if p.Type == "" {
			missing = append(missing, "type")
		}
		if missing != nil {
			return nil, requiredIn("inputs", missing...)
		}
		t, err := crm.FindAssociationType(c.t, c.to, string(p.Type))
		if err != nil {
			return nil, err
		}
		pairs[i] = crm.Pair{From: string(p.From.ID), To: string(p.To.ID), Types: specOf(t)}
	}
	return pairs, nil
}

// pairReplyV3 is an association in its v3 form.
type pairReplyV3 struct {
	From objectRef `json:"from"`
	To   objectRef `json:"to"`
	Type string    `json:"type"`
}

func (c *call) batchAssociateV3() error {
	pairs, err := c.pairsV3()
	if err != nil {
		return err
	}
	b, made, err := c.associate(pairs)
	if err != nil {
		return err
	}
	for _, a := range made {
		b.add(func(out []byte) []byte {
			return appendJSON(out, pairReplyV3{objectRef{id(a.From)}, objectRef{id(a.To)}, a.Types[0].Name})
		})
	}
	return c.replyBatch(b, http.StatusCreated)
}

func (c *call) batchDissociateV3() error {
	pairs, err := c.pairsV3()
	if err != nil {
		return err
	}
	if err := c.CRM.Dissociate(c.ctx, c.principal, c.t, c.to, pairs); err != nil {
		return err
	}
	return c.noContent()
}
