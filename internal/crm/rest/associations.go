package rest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"

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

// labelsTail is the end of the paths at which upstream also writes labels.
const labelsTail = "/{from}/{to}/labels"

// labelsPath matches these paths. Their other methods are absent by design, as
// if the path were not there.
var labelsPath = regexp.MustCompile(`/associations(/v4|/[0-9-]+)?/[^/]+/[^/]+/labels/?$`)

const (
	maxAssociationInputs = 2_000
	maxAssociationReads  = 1_000
)

type labelReply struct {
	Category string  `json:"category"`
	TypeID   int64   `json:"typeId"`
	Label    *string `json:"label"`
}

func labelReplies(types []*crm.AssociationType) []labelReply {
	out := make([]labelReply, len(types))
	for i, t := range types {
		out[i] = labelReply{crm.HubspotDefined, t.TypeID, t.Label}
	}
	return out
}

type objectRef struct {
	ID string `json:"id"`
}

type specReply struct {
	Category string `json:"associationCategory"`
	TypeID   int64  `json:"associationTypeId"`
}

// defaultReply shows a default association in one direction; ids are strings.
type defaultReply struct {
	From objectRef `json:"from"`
	To   objectRef `json:"to"`
	Spec specReply `json:"associationSpec"`
}

// labeledReply shows the labels between two records.
type labeledReply struct {
	FromTypeID string   `json:"fromObjectTypeId"`
	FromID     objectID `json:"fromObjectId"`
	ToTypeID   string   `json:"toObjectTypeId"`
	ToID       objectID `json:"toObjectId"`
	Labels     []string `json:"labels"`
}

// objectID is the id of a record in a reply about associations: a number, and
// text under the dated paths.
type objectID struct {
	id   int64
	text bool
}

// MarshalJSON writes the number, quoted for text.
func (o objectID) MarshalJSON() ([]byte, error) {
	if o.text {
		return []byte(strconv.Quote(id(o.id))), nil
	}
	return strconv.AppendInt(nil, o.id, 10), nil
}

func (c *call) objectID(n int64) objectID { return objectID{n, c.dated} }

func id(n int64) string { return strconv.FormatInt(n, 10) }

func defaultReplies(a crm.Associated) []defaultReply {
	var out []defaultReply
	for _, t := range a.Types {
		out = append(out, defaultReply{objectRef{id(a.From)}, objectRef{id(a.To)}, specReply{crm.HubspotDefined, t.TypeID}},
			defaultReply{objectRef{id(a.To)}, objectRef{id(a.From)}, specReply{crm.HubspotDefined, t.InverseTypeID}})
	}
	return out
}

func (c *call) labeled(a crm.Associated) labeledReply {
	out := labeledReply{c.t.ID(), c.objectID(a.From), c.to.ID(), c.objectID(a.To), []string{}}
	for _, t := range a.Types {
		if t.Label != nil {
			out.Labels = append(out.Labels, *t.Label)
		}
	}
	return out
}

// associateOne links one pair; a refusal of the pair is returned as the error.
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

type nextPage struct {
	After string `json:"after"`
	Link  string `json:"link,omitempty"`
}

type paging struct {
	Next nextPage `json:"next"`
}

type multiReply struct {
	ToID  objectID     `json:"toObjectId"`
	Types []labelReply `json:"associationTypes"`
}

func (c *call) multiReplies(page []crm.RecordAssociations) []multiReply {
	out := make([]multiReply, len(page))
	for i, a := range page {
		out[i] = multiReply{c.objectID(a.ToID), labelReplies(a.Types)}
	}
	return out
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

type refInput struct {
	ID text `json:"id"`
}

// missingEnds names the ends of an association that an input leaves out.
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

// pairs reads the pairs of a batch; labels says whether they name types.
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
			return nil, requiredFields(missing...)
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

// associatePairs links pairs; those refused become entries, and a request that
// is wrong in itself is refused whole.
func (c *call) associatePairs(labels bool) (*batch, []crm.Associated, error) {
	pairs, err := c.pairs(labels)
	if err != nil {
		return nil, nil, err
	}
	return c.associate(pairs)
}

// associate links pairs in a batch; those refused become entries.
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

// ended answers a batch that ended associations: 204, and an envelope under the dated paths.
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
			return requiredFields("from")
		}
		if p.To == nil {
			return requiredFields("to")
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

// associationsOf reads the associations of a batch of records; render writes those of one.
func (c *call) associationsOf(render func(page []crm.RecordAssociations) any) error {
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
	pages, more, without, err := c.CRM.AssociationsOf(c.ctx, c.principal, c.t, c.to, keys, after)
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
			next = &paging{nextPage{After: id(page[len(page)-1].ToID)}}
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
	return c.associationsOf(func(page []crm.RecordAssociations) any { return c.multiReplies(page) })
}
