package rest

import (
	"net/http"
	"slices"
	"strconv"

	"understudy/internal/crm"
)

type refInput struct {
	ID text `json:"id"`
}

// missingEnds names the ends of an association that an input lacks.
func missingEnds(from, to *refInput) (missing []string) {
	if from == nil || from.ID == "" {
		missing = append(missing, "from")
	}
	if to == nil || to.ID == "" {
		missing = append(missing, "to")
	}
	return missing
}

type pairInput struct {
	From  *refInput   `json:"from"`
	To    *refInput   `json:"to"`
	Types []specInput `json:"types"`
}

// pairs reads the pairs of a batch; with labels they name types.
func (c *call) pairs(labels bool) ([]crm.Pair, error) {
	var in struct {
		Inputs []pairInput `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if err := inputs(in.Inputs, maxAssociationInputs); err != nil {
		return nil, err
	}
	out := make([]crm.Pair, len(in.Inputs))
	for i, p := range in.Inputs {
		missing := missingEnds(p.From, p.To)
		if labels && p.Types == nil {
			missing = append(missing, "types")
		}
		if missing != nil {
			return nil, requiredIn("inputs", missing...)
		}
		out[i] = crm.Pair{From: string(p.From.ID), To: string(p.To.ID)}
		if labels && len(p.Types) == 0 {
			return nil, badInput("One or more association types must be specified")
		}
		if labels {
			out[i].Types = specs(p.Types)
		}
	}
	return out, nil
}

// associatePairs reads and links pairs. Rejected pairs become entries; an invalid
// request is an error.
func (c *call) associatePairs(labels bool) (*batch, []crm.Associated, error) {
	pairs, err := c.pairs(labels)
	if err != nil {
		return nil, nil, err
	}
	return c.associate(pairs)
}

// associate links pairs in a batch; rejected ones become entries.
func (c *call) associate(pairs []crm.Pair) (*batch, []crm.Associated, error) {
	b := c.newBatch()
	out, refused, err := c.CRM.Associate(c.ctx, c.principal, c.t, c.to, pairs)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range refused {
		_, p := c.problemOf(r.Err)
		p.Context = map[string][]string{"fromObjectId": {r.Pair.From}, "toObjectId": {r.Pair.To}}
		b.refuse(p)
	}
	return b, out, nil
}

func (c *call) batchAssociate() error {
	b, made, err := c.associatePairs(true)
	if err != nil {
		return err
	}
	for _, a := range made {
		b.add(func(out []byte) []byte { return appendJSON(out, c.labeled(a)) })
	}
	return c.replyBatch(b, http.StatusCreated)
}

func (c *call) batchAssociateDefault() error {
	b, made, err := c.associatePairs(false)
	if err != nil {
		return err
	}
	for _, a := range made {
		for _, r := range defaultReplies(a) {
			b.add(func(out []byte) []byte { return appendJSON(out, r) })
		}
	}
	return c.replyBatch(b, http.StatusOK)
}

// ended replies to a batch that removed associations: 204, or an envelope under
// the dated paths.
func (c *call) ended() error {
	if c.dated {
		return c.replyBatch(c.newBatch(), http.StatusOK)
	}
	return c.noContent()
}

func (c *call) batchRemoveLabels() error {
	pairs, err := c.pairs(true)
	if err != nil {
		return err
	}
	if err := c.CRM.Dissociate(c.ctx, c.principal, c.t, c.to, pairs); err != nil {
		return err
	}
	return c.ended()
}

func (c *call) batchDissociate() error {
	var in struct {
		Inputs []struct {
			From *refInput  `json:"from"`
			To   []refInput `json:"to"`
		} `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if err := inputs(in.Inputs, maxAssociationInputs); err != nil {
		return err
	}
	var pairs []crm.Pair
	for _, p := range in.Inputs {
		if p.From == nil || p.From.ID == "" {
			return requiredIn("inputs", "from")
		}
		if p.To == nil {
			return requiredIn("inputs", "to")
		}
		for _, to := range p.To {
			pairs = append(pairs, crm.Pair{From: string(p.From.ID), To: string(to.ID)})
		}
	}
	if err := c.CRM.Dissociate(c.ctx, c.principal, c.t, c.to, pairs); err != nil {
		return err
	}
	return c.ended()
}

// associationsOf reads the associations of a batch of records; render converts
// those of one.
func (c *call) associationsOf(version string, limit int, render func(page []crm.RecordAssociations) any) error {
	var in struct {
		Inputs []struct {
			ID    text `json:"id"`
			After text `json:"after"`
		} `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if err := inputs(in.Inputs, maxAssociationReads); err != nil {
		return err
	}
	var keys []string
	after := map[string]int64{}
	for _, input := range in.Inputs {
		key := string(input.ID)
		if input.After != "" {
			n, err := strconv.ParseInt(string(input.After), 10, 64)
			if err != nil {
				return badInput("Invalid after cursor %q", input.After)
			}
			after[key] = n
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	b := c.newBatch()
	pages, more, without, err := c.CRM.AssociationsOf(c.ctx, c.principal, c.t, c.to, keys, after, limit)
	if err != nil {
		return err
	}
	for _, k := range keys {
		page, ok := pages[k]
		if !ok {
			continue
		}
		var next *paging
		if more[k] {
			last := id(page[len(page)-1].ToID)
			next = &paging{nextPage{last, string(appendMore(nil, c.objects(version), c.t, k, c.to, last))}}
		}
		b.add(func(out []byte) []byte {
			return appendJSON(out, struct {
				From   objectRef `json:"from"`
				To     any       `json:"to"`
				Paging *paging   `json:"paging,omitempty"`
			}{objectRef{k}, render(page), next})
		})
	}
	for _, k := range without {
		b.refuse(problem{Status: "error", Category: "OBJECT_NOT_FOUND", SubCategory: "crm.associations.NO_ASSOCIATIONS_FOUND",
			Message: "No " + c.to.Singular() + " is associated with " + c.t.Singular() + " " + k + ".",
			Context: map[string][]string{"fromObjectId": {k}, "fromObjectType": {c.t.Singular()}, "toObjectType": {c.to.Singular()}}})
	}
	return c.replyBatch(b, http.StatusOK)
}

func (c *call) batchReadAssociations() error {
	return c.associationsOf("v4", crm.MaxAssociations, func(page []crm.RecordAssociations) any { return c.multiReplies(page) })
}
