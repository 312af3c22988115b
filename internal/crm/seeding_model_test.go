package crm_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// rolledUp are the properties that follow from associations, by type.
var rolledUp = map[crm.Type][]string{
	crm.Companies: {"num_associated_contacts", "num_associated_deals", "hs_num_child_companies", "hs_parent_company_id", "first_contact_createdate",
		"first_deal_created_date", "recent_deal_amount", "recent_deal_close_date", "total_revenue", "hs_num_open_deals", "hs_total_deal_value"},
	crm.Contacts: {"associatedcompanyid", "num_associated_deals", "first_deal_created_date", "recent_deal_amount", "recent_deal_close_date", "total_revenue"},
	crm.Deals:    {"num_associated_contacts", "hs_primary_associated_company"},
	crm.Tickets:  {"hs_num_associated_companies", "hs_primary_company_id", "hs_primary_company_name"},
}

// modelWorld is what a seed document and a sequence of single calls both make.
type modelWorld struct {
	records map[crm.Type][]map[string]string // the values of each record; "name" comes first
	links   []modelLink
}

type modelLink struct {
	from, to modelRecord
	typeID   int64 // 0 for the unlabeled type
}

// modelRecord is a record by its type and its place among the records of that type.
type modelRecord struct {
	t crm.Type
	i int
}

func (r modelRecord) name() string { return fmt.Sprintf("%s/r%d", r.t, r.i) }

func randomWorld(rnd *rand.Rand) modelWorld {
	w := modelWorld{records: map[crm.Type][]map[string]string{}}
	counts := map[crm.Type]int{crm.Companies: 12, crm.Contacts: 130, crm.Deals: 40, crm.Tickets: 15}
	for _, t := range crm.Types {
		for i := range counts[t] {
			v := map[string]string{"createdate": start.Add(-time.Duration(rnd.IntN(1000)) * time.Hour).Format(time.RFC3339)}
			switch t {
			case crm.Companies:
				v["name"] = fmt.Sprintf("Company %d", i)
			case crm.Contacts:
				v["email"] = fmt.Sprintf("c%d@example.com", i)
			case crm.Deals:
				v["dealname"], v["dealstage"] = fmt.Sprintf("Deal %d", i), []string{"closedwon", "closedlost", "contractsent"}[rnd.IntN(3)]
				v["closedate"] = start.Add(-time.Duration(rnd.IntN(30)) * 24 * time.Hour).Format(time.RFC3339)
				if rnd.IntN(5) > 0 {
					v["amount"] = strconv.Itoa(rnd.IntN(10_000))
				}
			case crm.Tickets:
				v["subject"], v["hs_pipeline_stage"] = fmt.Sprintf("Ticket %d", i), "1"
			}
			w.records[t] = append(w.records[t], v)
		}
	}
	pick := func(t crm.Type) modelRecord { return modelRecord{t, rnd.IntN(counts[t])} }
	for range 400 {
		l := modelLink{from: pick(crm.Types[rnd.IntN(len(crm.Types))]), to: pick(crm.Types[rnd.IntN(len(crm.Types))])}
		all := crm.AssociationTypes(l.from.t, l.to.t)
		if len(all) == 0 || l.from == l.to {
			continue
		}
		if a := all[rnd.IntN(len(all))]; rnd.IntN(2) == 0 {
			l.typeID = a.TypeID
		}
		if l.typeID == 0 && !slices.ContainsFunc(all, func(a *crm.AssociationType) bool { return a.Unlabeled }) {
			continue
		}
		w.links = append(w.links, l)
	}
	return w
}

// seed makes the world by one seed document.
func (m modelWorld) seed(t *testing.T, c *crm.CRM, w *store.World) {
	doc := map[string]any{}
	for kind, list := range m.records {
		named := map[string]any{}
		for i, v := range list {
			named[fmt.Sprintf("r%d", i)] = map[string]any{"properties": v}
		}
		doc[kind.String()] = named
	}
	var links []map[string]any
	for _, l := range m.links {
		one := map[string]any{"from": l.from.name(), "to": l.to.name()}
		if l.typeID != 0 {
			one["type"] = l.typeID
		}
		links = append(links, one)
	}
	doc["associations"] = links
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	node, err := seeddoc.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	r := &seeddoc.Reader{Now: start}
	seeding := c.ReadSeed(r, node, seeddoc.Pos{})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	err = w.Write(t.Context(), func(tx *store.Tx) error {
		_, err := seeding.Apply(t.Context(), tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// call makes the world by one call for each record and each link.
func (m modelWorld) call(t *testing.T, c *crm.CRM, p *auth.Principal) {
	made := map[modelRecord]string{}
	for _, kind := range crm.Types {
		for i, v := range m.records[kind] {
			out, _, err := c.CreateRecords(t.Context(), p, kind, []crm.CreateRecord{{Properties: v}}, false)
			if err != nil {
				t.Fatal(err)
			}
			made[modelRecord{kind, i}] = strconv.FormatInt(out[0].ID, 10)
		}
	}
	for _, l := range m.links {
		pair := crm.Pair{From: made[l.from], To: made[l.to]}
		if l.typeID != 0 {
			pair.Types = []crm.AssociationSpec{{Category: crm.HubspotDefined, TypeID: l.typeID}}
		}
		if _, refused, err := c.Associate(t.Context(), p, l.from.t, l.to.t, []crm.Pair{pair}); err != nil || len(refused) > 0 {
			t.Fatal(l, refused, err)
		}
	}
}

// shown returns what a world holds, a line for each value, each link and each
// answer of the index of values; records stand by what a caller named them.
func shown(t *testing.T, c *crm.CRM, p *auth.Principal) string {
	names := map[string]string{}
	byType := map[crm.Type][]*crm.Record{}
	for _, kind := range crm.Types {
		list, more, err := c.ListRecords(t.Context(), p, kind, 0, 1_000, crm.ReadOptions{Associations: crm.Types})
		if err != nil || more {
			t.Fatal(err, more)
		}
		byType[kind] = list
		for _, r := range list {
			for _, own := range []string{"name", "email", "dealname", "subject"} {
				if v := r.Bag.Get(own); v != "" {
					names[strconv.FormatInt(r.ID, 10)] = v
				}
			}
		}
	}
	named := func(id int64) string { return names[strconv.FormatInt(id, 10)] }
	var lines []string
	for kind, list := range byType {
		for _, r := range list {
			for name, v := range r.Bag.Map() {
				if strings.HasSuffix(name, "company_id") || strings.HasSuffix(name, "_company") || name == "associatedcompanyid" {
					v = names[v]
				}
				lines = append(lines, fmt.Sprintln(named(r.ID), name, v))
			}
			lines = append(lines, fmt.Sprintln(named(r.ID), "created", r.Created, "updated", r.Updated))
			for _, others := range r.Associations {
				for _, a := range others {
					for _, of := range a.Types {
						lines = append(lines, fmt.Sprintln(named(r.ID), "linked with", named(a.ToID), of.TypeID))
					}
				}
			}
		}
		for _, property := range rolledUp[kind] {
			lines = append(lines, found(t, c, p, kind, property, named)...)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// found returns which records the index of values finds under each value of a property.
func found(t *testing.T, c *crm.CRM, p *auth.Principal, kind crm.Type, property string, named func(int64) string) (lines []string) {
	for _, f := range []search.Filter{{Property: property, Operator: "HAS_PROPERTY"}, {Property: property, Operator: "NOT_HAS_PROPERTY"}} {
		page, err := c.Search(t.Context(), p, kind, search.Request{Groups: []search.FilterGroup{{f}}, Limit: 200})
		if err != nil || page.Next != 0 {
			t.Fatal(err, page.Next)
		}
		for _, r := range page.Records {
			lines = append(lines, fmt.Sprintln(f.Operator, property, named(r.ID)))
			v := r.Bag.Get(property)
			if f.Operator != "HAS_PROPERTY" || v == "" {
				continue
			}
			same := search.Filter{Property: property, Operator: "EQ", Value: &v}
			equal, err := c.Search(t.Context(), p, kind, search.Request{Groups: []search.FilterGroup{{same}}, Limit: 200})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(equal.Records, func(o *crm.Record) bool { return o.ID == r.ID }) {
				t.Errorf("%s %s is not found by its value %s", named(r.ID), property, v)
			}
			lines = append(lines, fmt.Sprintln(property, "of", named(r.ID), "is found with", equal.Total))
		}
	}
	return lines
}

// TestASeededPortalIsOneMadeByCalls compares what a seed document makes with what
// a call for each record and each link makes, in stored values, links and the index
// of values: a document writes all roll-ups at its end, and many at once.
func TestASeededPortalIsOneMadeByCalls(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		m := randomWorld(rand.New(rand.NewPCG(14, 14)))
		seeded, one, _ := newCRM(t, w)
		m.seed(t, seeded, w)
		called, other, _ := newCRM(t, storetest.SQLite(t, schemas))
		m.call(t, called, other)
		got, want := strings.SplitAfter(shown(t, seeded, one), "\n"), strings.SplitAfter(shown(t, called, other), "\n")
		if !slices.Equal(got, want) {
			onlySeeded := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return slices.Contains(want, l) })
			onlyCalled := slices.DeleteFunc(slices.Clone(want), func(l string) bool { return slices.Contains(got, l) })
			t.Errorf("only the document makes %q\nonly calls make %q", onlySeeded, onlyCalled)
		}
	})
}
