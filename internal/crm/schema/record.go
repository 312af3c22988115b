package schema

import (
	"strconv"
	"strings"
)

// FirstID is the first id of records, users and owners.
const FirstID = 100_001

// Record is the stored part of a contact, company, deal or ticket.
type Record struct {
	Type                               Type
	ID                                 int64
	Created, Updated, Archived, Merged int64 // microseconds; Merged is the survivor's id
	Source, SourceID                   string
	Bag                                Bag
}

// Value returns the value of a property; "" for none.
func (r *Record) Value(p *Property) string {
	switch p.Column() {
	case "id":
		return strconv.FormatInt(r.ID, 10)
	case "created":
		return FormatTime(r.Created)
	case "updated":
		return FormatTime(r.Updated)
	}
	switch {
	case p.Compute != nil:
		return p.Compute(r)
	case p.IsDerived():
		return r.derive(p.Name)
	case p.Alias != "":
		return r.Bag.Get(p.Alias)
	}
	return r.Bag.Get(p.Name)
}

func (r *Record) derive(name string) string {
	switch name {
	case "hs_object_source", "hs_object_source_label":
		return r.Source
	case "hs_object_source_id":
		return r.SourceID
	case "hs_createdate":
		return FormatTime(r.Created)
	case "hs_ticket_id":
		return strconv.FormatInt(r.ID, 10)
	case "hs_is_contact":
		return "true"
	case "hs_email_domain":
		_, domain, _ := strings.Cut(r.Bag.Get("email"), "@")
		return domain
	case "hs_full_name_or_email":
		if full := strings.TrimSpace(r.Bag.Get("firstname") + " " + r.Bag.Get("lastname")); full != "" {
			return full
		}
		return r.Bag.Get("email")
	}
	return ""
}
