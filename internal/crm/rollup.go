package crm

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"understudy/internal/platform/store"
)

// Properties that follow from a record's associations.
const (
	companyOfContact = "associatedcompanyid"
	parentOfCompany  = "hs_parent_company_id"
)

// rolledUp holds the names of the properties that rollUpOf computes.
var rolledUp = map[string]bool{companyOfContact: true, parentOfCompany: true, "num_associated_deals": true, "num_associated_contacts": true,
	"hs_num_child_companies": true, "first_contact_createdate": true, "first_deal_created_date": true, "recent_deal_amount": true,
	"recent_deal_close_date": true, "total_revenue": true, "hs_num_open_deals": true, "hs_total_deal_value": true,
	"hs_primary_associated_company": true, "hs_num_associated_companies": true, "hs_primary_company_id": true, "hs_primary_company_name": true}

// rollUp brings the properties that follow from associations up to date, for
// records that are live. The records of known are changed in place; the others
// are read and locked. Such changes do not count as changes of the record: the
// time of its last change stays.
func (c *CRM) rollUp(tx *store.Tx, d *Definitions, touched []target, known ...*Record) error {
	byTarget := map[target]*Record{}
	for _, r := range known {
		byTarget[target{r.Type, r.ID}] = r
	}
	touched = slices.Clone(touched)
	slices.SortFunc(touched, func(a, b target) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.id, b.id)) }) // locks are taken in one order
	touched = slices.Compact(touched)
	for _, t := range Types {
		var missing []int64
		for _, one := range touched {
			if one.t == t && byTarget[one] == nil {
				missing = append(missing, one.id)
			}
		}
		found, err := getRecords(tx, d.Portal.ID, t, missing, true)
		if err != nil {
			return err
		}
		for id, r := range found {
			byTarget[target{t, id}] = r
		}
	}
	for _, one := range touched {
		r := byTarget[one]
		if r == nil || r.Archived != 0 {
			continue
		}
		derived, err := rollUpOf(tx, d, r)
		if err != nil {
			return err
		}
		old := r.Bag.Map()
		values := maps.Clone(old)
		for name, v := range derived {
			if v == "0" && old[name] == "" {
				v = "" // nothing was ever counted
			}
			values[name] = v
		}
		if err := c.save(tx, d, r, old, values, author{source: "CALCULATED"}, r.Updated); err != nil {
			return err
		}
	}
	return nil
}

// touchedBy returns the records at both ends of links.
func touchedBy(links []link) []target {
	out := make([]target, 0, 2*len(links))
	for _, l := range links {
		out = append(out, target{l.from, l.fromID}, target{l.to, l.toID})
	}
	return out
}

// rollUpOf returns what follows from a record's associations; "" is no value.
func rollUpOf(tx *store.Tx, d *Definitions, r *Record) (map[string]string, error) {
	links, err := countLinks(tx, d.Portal.ID, r.Type, r.ID)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	count := func(name string, to Type) { out[name] = strconv.Itoa(links[unlabeled(r.Type, to).TypeID].count) }
	linked := func(name string, typeID int64) int64 {
		id := links[typeID].one
		if out[name] = ""; id != 0 {
			out[name] = strconv.FormatInt(id, 10)
		}
		return id
	}
	switch r.Type {
	case Contacts:
		linked(companyOfContact, primaryCompany(Contacts).TypeID)
		count("num_associated_deals", Deals)
		return out, addDealTotals(tx, d, r, links, out)
	case Companies:
		linked(parentOfCompany, childToParent)
		out["hs_num_child_companies"] = strconv.Itoa(links[parentToChild].count)
		count("num_associated_contacts", Contacts)
		count("num_associated_deals", Deals)
		out["first_contact_createdate"] = ""
		if links[unlabeled(Companies, Contacts).TypeID].count > 0 {
			first, err := firstCreated(tx, d.Portal.ID, r.ID, Contacts)
			if err != nil {
				return nil, err
			}
			if first != 0 {
				out["first_contact_createdate"] = FormatTime(first)
			}
		}
		return out, addDealTotals(tx, d, r, links, out)
	case Deals:
		count("num_associated_contacts", Contacts)
		linked("hs_primary_associated_company", primaryCompany(Deals).TypeID)
	case Tickets:
		count("hs_num_associated_companies", Companies)
		out["hs_primary_company_name"] = ""
		if id := linked("hs_primary_company_id", primaryCompany(Tickets).TypeID); id != 0 {
			companies, err := getRecords(tx, d.Portal.ID, Companies, []int64{id}, false)
			if err != nil {
				return nil, err
			}
			if company := companies[id]; company != nil {
				out["hs_primary_company_name"] = company.Bag.Get("name")
			}
		}
	}
	return out, nil
}

// addDealTotals adds what follows from the deals of a contact or a company.
func addDealTotals(tx *store.Tx, d *Definitions, r *Record, links map[int64]linkCount, out map[string]string) error {
	for _, name := range []string{"first_deal_created_date", "recent_deal_amount", "recent_deal_close_date", "total_revenue"} {
		out[name] = ""
	}
	if r.Type == Companies {
		out["hs_num_open_deals"], out["hs_total_deal_value"] = "0", ""
	}
	if links[unlabeled(r.Type, Deals).TypeID].count == 0 {
		return nil
	}
	first, revenue, open, openValue := int64(0), 0.0, 0, 0.0
	var recent string
	err := eachLinkedDeal(tx, d.Portal.ID, r.ID, unlabeled(r.Type, Deals).TypeID, func(deal *Record) {
		amount, _ := strconv.ParseFloat(deal.Bag.Get("amount"), 64)
		if first == 0 || deal.Created < first {
			first = deal.Created
		}
		switch closed := deal.Bag.Get("closedate"); {
		case deal.Bag.Get("hs_is_closed_won") == "true":
			revenue += amount
			if closed >= recent {
				recent = closed
				out["recent_deal_amount"], out["recent_deal_close_date"] = deal.Bag.Get("amount"), closed
			}
		case deal.Bag.Get("hs_is_closed") != "true":
			open++
			openValue += amount
		}
	})
	if err != nil || first == 0 {
		return err
	}
	out["first_deal_created_date"] = FormatTime(first)
	if revenue != 0 {
		out["total_revenue"] = decimal(revenue)
	}
	if r.Type == Companies {
		out["hs_num_open_deals"], out["hs_total_deal_value"] = strconv.Itoa(open), decimal(openValue)
	}
	return nil
}

// followers returns the records whose roll-ups read values of a record that changed.
func followers(tx *store.Tx, d *Definitions, r *Record, old, values map[string]string) (out []target, err error) {
	changed := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return old[n] != values[n] })
	}
	var to []Type
	switch {
	case r.Type == Deals && changed("amount", "dealstage", "closedate", "hs_is_closed", "hs_is_closed_won"):
		to = []Type{Contacts, Companies}
	case r.Type == Companies && changed("name"):
		to = []Type{Tickets}
	default:
		return nil, nil
	}
	links, err := listAllLinks(tx, d.Portal.ID, r.Type, r.ID)
	for _, l := range links {
		if slices.Contains(to, l.to) {
			out = append(out, target{l.to, l.toID})
		}
	}
	return out, err
}

// The association types that properties set, beside the primary ones.
const (
	parentToChild = 13
	childToParent = 14
)

// primaryCompany returns the type of the association of a record with its primary company.
func primaryCompany(t Type) *AssociationType {
	i := slices.IndexFunc(associationTypes, func(a *AssociationType) bool { return a.From == t && a.To == Companies && a.Primary })
	return associationTypes[i]
}

// linkProperty is a property whose value is an association.
func linkProperty(t Type, name string) (typeID int64, ok bool) {
	switch {
	case t == Contacts && name == companyOfContact:
		return primaryCompany(Contacts).TypeID, true
	case t == Companies && name == parentOfCompany:
		return childToParent, true
	}
	return 0, false
}

// isOfProperty reports whether a link of a draft stands for a value of a property.
func (l link) isOfProperty(dr draft) bool { return dr.byProperty[l.typeID] == l.toID }

// takeLinks removes the values from changes that are associations, and returns them: ids of
// companies by type of association, 0 for none.
func (ch *changes) takeLinks(t Type) (out map[int64]int64, problems ValidationProblems) {
	for _, name := range []string{companyOfContact, parentOfCompany} {
		v, set := ch.values[name]
		typeID, ok := linkProperty(t, name)
		if !set || !ok {
			continue
		}
		delete(ch.values, name)
		id, err := int64(0), error(nil)
		if v != "" {
			id, err = parseID(v)
		}
		if err != nil {
			problems = append(problems, noSuchCompany(name, v))
			continue
		}
		if out == nil {
			out = map[int64]int64{}
		}
		out[typeID] = id
	}
	return out, problems
}

func noSuchCompany(property, id string) Problem {
	return Problem{Property: property, Code: "INVALID_OBJECT_ID", Message: "There is no company with the id " + id + "."}
}

// setLinks makes the associations that values of a record's properties stand
// for, in the place of those that are there. It returns InvalidProperties for
// a company that does not exist.
func (c *CRM) setLinks(tx *store.Tx, d *Definitions, r *Record, wanted map[int64]int64, others ...*Record) error {
	for _, typeID := range slices.Sorted(maps.Keys(wanted)) {
		id, portal := wanted[typeID], d.Portal.ID
		name := companyOfContact
		if typeID == childToParent {
			name = parentOfCompany
		}
		if id != 0 {
			live, err := liveTargets(tx, portal, []target{{Companies, id}}, true)
			if err != nil {
				return err
			}
			survivor := live[target{Companies, id}]
			if survivor == 0 || r.Type == Companies && survivor == r.ID {
				return d.problemFault(ValidationProblems{noSuchCompany(name, strconv.FormatInt(id, 10))})
			}
			id = survivor
		}
		old, err := listLinksOfType(tx, portal, r.ID, Companies, typeID)
		if err != nil {
			return err
		}
		var gone []link
		for _, l := range old {
			if l.toID != id {
				gone = append(gone, l, l.inverse())
			}
		}
		if err := deleteLinks(tx, portal, gone); err != nil {
			return err
		}
		touched := touchedBy(gone)
		if id != 0 {
			made := []link{{r.Type, r.ID, Companies, id, typeID}}
			if err := addLinks(tx, portal, made); err != nil {
				return err
			}
			touched = append(touched, touchedBy(made)...)
		}
		if err := c.rollUp(tx, d, touched, append(others, r)...); err != nil {
			return err
		}
	}
	return nil
}
