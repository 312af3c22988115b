package crm

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"understudy/internal/platform/store"
)

// Properties that are derived from a record's associations.
const (
	companyOfContact = "associatedcompanyid"
	parentOfCompany  = "hs_parent_company_id"
)

// rolledUp lists the properties that rollUpsOf computes.
var rolledUp = map[string]bool{companyOfContact: true, parentOfCompany: true, "num_associated_deals": true, "num_associated_contacts": true,
	"hs_num_child_companies": true, "first_contact_createdate": true, "first_deal_created_date": true, "recent_deal_amount": true,
	"recent_deal_close_date": true, "total_revenue": true, "hs_num_open_deals": true, "hs_total_deal_value": true,
	"hs_primary_associated_company": true, "hs_num_associated_companies": true, "hs_primary_company_id": true, "hs_primary_company_name": true}

// rollUp updates the properties of live records that are derived from
// associations. It changes the records of known in place, and reads and locks the
// others. It does not change the modification times of the records.
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
	for _, t := range Types {
		var live []*Record
		for _, one := range touched {
			if r := byTarget[one]; one.t == t && r != nil && r.Archived == 0 {
				live = append(live, r)
			}
		}
		for chunk := range slices.Chunk(live, rollUpsAtOnce) {
			if err := c.rollUpType(tx, d, t, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// rollUpsAtOnce is the number of records whose links one statement reads.
const rollUpsAtOnce = 100

// rollUpType updates the roll-ups of live records of one type.
func (c *CRM) rollUpType(tx *store.Tx, d *Definitions, t Type, records []*Record) error {
	derived, err := rollUpsOf(tx, d, t, records)
	if err != nil {
		return err
	}
	changes := make([]change, len(records))
	for i, r := range records {
		old := r.Bag.Map()
		values := maps.Clone(old)
		for name, v := range derived[r.ID] {
			if v == "0" && old[name] == "" {
				v = "" // zero and never counted before
			}
			values[name] = v
		}
		changes[i] = change{r, old, values, r.Updated}
	}
	return c.saveAll(tx, d, t, author{source: "CALCULATED"}, changes)
}

// touchedBy returns the records at both ends of links.
func touchedBy(links []link) []target {
	out := make([]target, 0, 2*len(links))
	for _, l := range links {
		out = append(out, target{l.from, l.fromID}, target{l.to, l.toID})
	}
	return out
}

// rollUpsOf returns the roll-ups of records of one type, by id and name of the
// property; "" for no value. No roll-up depends on another.
func rollUpsOf(tx *store.Tx, d *Definitions, t Type, records []*Record) (map[int64]map[string]string, error) {
	out := make(map[int64]map[string]string, len(records))
	ids := make([]int64, len(records))
	for i, r := range records {
		ids[i], out[r.ID] = r.ID, map[string]string{}
	}
	links, err := countLinks(tx, d.Portal.ID, t, ids)
	if err != nil {
		return nil, err
	}
	count := func(id int64, name string, to Type) {
		out[id][name] = strconv.Itoa(links[id][unlabeled(t, to).TypeID].count)
	}
	linked := func(id int64, name string, typeID int64) int64 {
		one := links[id][typeID].one
		if out[id][name] = ""; one != 0 {
			out[id][name] = strconv.FormatInt(one, 10)
		}
		return one
	}
	switch t {
	case Contacts:
		for _, id := range ids {
			linked(id, companyOfContact, primaryCompany(Contacts).TypeID)
			count(id, "num_associated_deals", Deals)
		}
		return out, addDealTotals(tx, d, t, ids, links, out)
	case Companies:
		for _, id := range ids {
			linked(id, parentOfCompany, childToParent)
			out[id]["hs_num_child_companies"] = strconv.Itoa(links[id][parentToChild].count)
			count(id, "num_associated_contacts", Contacts)
			count(id, "num_associated_deals", Deals)
			out[id]["first_contact_createdate"] = ""
		}
		first, err := firstCreated(tx, d.Portal.ID, haveLinks(ids, links, unlabeled(Companies, Contacts)), Contacts)
		if err != nil {
			return nil, err
		}
		for id, at := range first {
			out[id]["first_contact_createdate"] = FormatTime(at)
		}
		return out, addDealTotals(tx, d, t, ids, links, out)
	case Deals:
		for _, id := range ids {
			count(id, "num_associated_contacts", Contacts)
			linked(id, "hs_primary_associated_company", primaryCompany(Deals).TypeID)
		}
	case Tickets:
		primary := map[int64]int64{}
		for _, id := range ids {
			count(id, "hs_num_associated_companies", Companies)
			if company := linked(id, "hs_primary_company_id", primaryCompany(Tickets).TypeID); company != 0 {
				primary[id] = company
			}
		}
		companies, err := getRecords(tx, d.Portal.ID, Companies, slices.Collect(maps.Values(primary)), false)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out[id]["hs_primary_company_name"] = ""
			if company := companies[primary[id]]; company != nil {
				out[id]["hs_primary_company_name"] = company.Bag.Get("name")
			}
		}
	}
	return out, nil
}

// haveLinks returns the records that have links of a type.
func haveLinks(ids []int64, links map[int64]map[int64]linkCount, a *AssociationType) (out []int64) {
	for _, id := range ids {
		if links[id][a.TypeID].count > 0 {
			out = append(out, id)
		}
	}
	return out
}

// dealTotals sums up the deals of a contact or a company.
type dealTotals struct {
	first, open          int64
	revenue, openValue   float64
	recent, recentAmount string // the date and the amount of the latest deal that was won
}

// add adds a deal; deals must come in the order of ids.
func (t *dealTotals) add(deal *Record) {
	amount, _ := strconv.ParseFloat(deal.Bag.Get("amount"), 64)
	if t.first == 0 || deal.Created < t.first {
		t.first = deal.Created
	}
	switch closed := deal.Bag.Get("closedate"); {
	case deal.Bag.Get("hs_is_closed_won") == "true":
		t.revenue += amount
		if closed >= t.recent {
			t.recent, t.recentAmount = closed, deal.Bag.Get("amount")
		}
	case deal.Bag.Get("hs_is_closed") != "true":
		t.open++
		t.openValue += amount
	}
}

// addDealTotals adds the roll-ups of deals of contacts or companies.
func addDealTotals(tx *store.Tx, d *Definitions, t Type, ids []int64, links map[int64]map[int64]linkCount, out map[int64]map[string]string) error {
	for _, id := range ids {
		for _, name := range []string{"first_deal_created_date", "recent_deal_amount", "recent_deal_close_date", "total_revenue"} {
			out[id][name] = ""
		}
		if t == Companies {
			out[id]["hs_num_open_deals"], out[id]["hs_total_deal_value"] = "0", ""
		}
	}
	totals := map[int64]*dealTotals{}
	ofDeals := unlabeled(t, Deals)
	err := eachLinkedDeal(tx, d.Portal.ID, haveLinks(ids, links, ofDeals), ofDeals.TypeID, func(id int64, deal *Record) {
		if totals[id] == nil {
			totals[id] = &dealTotals{}
		}
		totals[id].add(deal)
	})
	if err != nil {
		return err
	}
	for id, sum := range totals {
		out[id]["first_deal_created_date"] = FormatTime(sum.first)
		out[id]["recent_deal_amount"], out[id]["recent_deal_close_date"] = sum.recentAmount, sum.recent
		if sum.revenue != 0 {
			out[id]["total_revenue"] = decimal(sum.revenue)
		}
		if t == Companies {
			out[id]["hs_num_open_deals"], out[id]["hs_total_deal_value"] = strconv.FormatInt(sum.open, 10), decimal(sum.openValue)
		}
	}
	return nil
}

// followers returns the records whose roll-ups depend on the changed values of a
// record.
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

// The association types that properties set, besides the primary ones.
const (
	parentToChild = 13
	childToParent = 14
)

// primaryCompany returns the type of association between a record and its primary
// company.
func primaryCompany(t Type) *AssociationType {
	i := slices.IndexFunc(associationTypes, func(a *AssociationType) bool { return a.From == t && a.To == Companies && a.Primary })
	return associationTypes[i]
}

// linkProperty returns the association type that a property sets, false for other
// properties.
func linkProperty(t Type, name string) (typeID int64, ok bool) {
	switch {
	case t == Contacts && name == companyOfContact:
		return primaryCompany(Contacts).TypeID, true
	case t == Companies && name == parentOfCompany:
		return childToParent, true
	}
	return 0, false
}

// isOfProperty reports whether a link of a draft results from a property.
func (l link) isOfProperty(dr draft) bool { return dr.byProperty[l.typeID] == l.toID }

// takeLinks removes the values that set associations from the changes and returns
// them: ids of companies by association type, 0 for none.
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

// setLinks replaces the associations that properties of a record set. It returns
// InvalidProperties for a company that does not exist.
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
