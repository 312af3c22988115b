package rest

import (
	"strconv"

	"understudy/internal/crm"
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

// defaultReply is a default association in one direction; ids are strings.
type defaultReply struct {
	From objectRef `json:"from"`
	To   objectRef `json:"to"`
	Spec specReply `json:"associationSpec"`
}

// labeledReply contains the labels between two records.
type labeledReply struct {
	FromTypeID string   `json:"fromObjectTypeId"`
	FromID     objectID `json:"fromObjectId"`
	ToTypeID   string   `json:"toObjectTypeId"`
	ToID       objectID `json:"toObjectId"`
	Labels     []string `json:"labels"`
}

// objectID is the id of a record in a reply about associations: a number, or a
// string under the dated paths.
type objectID struct {
	id   int64
	text bool
}

// MarshalJSON writes the id as a number or a string.
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
