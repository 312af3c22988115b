package crm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

const (
	// DemoFixture is the name of the bundled fixture.
	DemoFixture = "demo"
	// DemoToken is the private-app token that the fixture makes: the same
	// everywhere, so that scripts can hold it. Worlds without the fixture do not know it.
	DemoToken = "pat-na1-d3300000-0000-4000-8000-000000000001"
)

// demoTokenID is the id of DemoToken.
const demoTokenID = "demo"

// HasFixtureToken reports whether DemoToken is in force.
func (c *CRM) HasFixtureToken(tx *store.Tx) (bool, error) {
	return c.auth.InForce(tx, Name, "1", demoTokenID)
}

// UnknownFixture: no fixture has this name.
var UnknownFixture = fault.New(fault.Invalid, "unknown_fixture", "There is no fixture with this name.")

// Seed fills the first portal from a bundled fixture: companies with contacts,
// deals and tickets, linked, and a few owners. The same fixture makes the same
// records, dated back from now. With token it also makes DemoToken. It returns
// UnknownFixture.
func (c *CRM) Seed(ctx context.Context, fixture string, token bool) error {
	if fixture != DemoFixture {
		return UnknownFixture.Detailf("There is no fixture named %q.", fixture)
	}
	const portal = 1
	var user int64
	err := c.define(ctx, portal, func(tx *store.Tx, d *Definitions) error {
		user = d.owners[0].UserID
		for _, o := range demoOwners {
			if _, err := c.addUser(tx, portal, NewPortal{Email: o[0], FirstName: o[1], LastName: o[2]}); err != nil {
				return err
			}
		}
		if !token {
			return nil
		}
		return c.auth.Issue(tx, DemoToken, auth.Token{Service: Name, ID: demoTokenID, Kind: auth.Key, Tenant: strconv.Itoa(portal),
			Subject: strconv.FormatInt(user, 10), App: "1", Label: "Demo", Tier: DefaultTier})
	})
	if err != nil {
		return err
	}
	p := &auth.Principal{Service: Name, Kind: auth.Key, Tenant: strconv.Itoa(portal), Subject: strconv.FormatInt(user, 10), App: "1"}
	d, err := c.definitionsOf(ctx, portal)
	if err != nil {
		return err
	}
	b := &demo{c: c, p: p, now: c.clock.Now()}
	for _, o := range d.owners {
		b.owners = append(b.owners, strconv.FormatInt(o.ID, 10))
	}
	return b.build(ctx)
}

// demo builds the fixture's records.
type demo struct {
	c      *CRM
	p      *auth.Principal
	now    time.Time
	owners []string
	step   int
}

// pick chooses from a list; choices repeat, but not together.
func (b *demo) pick(list []string) string {
	b.step++
	return list[(b.step*7+b.step/len(list))%len(list)]
}

func (b *demo) date(daysBack int) string {
	return b.now.AddDate(0, 0, -daysBack).Format(schema.ISOMillis)
}

func (b *demo) create(ctx context.Context, t Type, in []CreateRecord) ([]*Record, error) {
	made, _, err := b.c.CreateRecords(ctx, b.p, t, in, false)
	return made, err
}

func (b *demo) build(ctx context.Context) error {
	companies, err := b.create(ctx, Companies, b.companies())
	if err != nil {
		return err
	}
	contacts, err := b.create(ctx, Contacts, b.contacts(companies))
	if err != nil {
		return err
	}
	if _, err := b.create(ctx, Deals, b.deals(companies, contacts)); err != nil {
		return err
	}
	_, err = b.create(ctx, Tickets, b.tickets(companies, contacts))
	return err
}

func (b *demo) companies() (out []CreateRecord) {
	for i, name := range demoCompanies {
		domain := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, " & ", "-"), " ", "-")) + ".example"
		out = append(out, CreateRecord{Properties: map[string]string{
			"name": name, "domain": domain, "website": "https://www." + domain, "industry": b.pick(demoIndustries), "city": b.pick(demoCities),
			"country": "Germany", "phone": fmt.Sprintf("+49 30 55501%02d", i), "numberofemployees": strconv.Itoa(8 + i*i%397),
			"annualrevenue": strconv.Itoa(250_000 + i*137_500%9_000_000), "lifecyclestage": b.pick(demoStages), "hubspot_owner_id": b.pick(b.owners),
			"createdate": b.date(400 - 7*i),
		}})
	}
	return out
}

// contactsPerCompany is how many people the fixture has for each company.
const contactsPerCompany = 4

func (b *demo) contacts(companies []*Record) (out []CreateRecord) {
	for i, company := range companies {
		name, domain := company.Bag.Get("name"), company.Bag.Get("domain")
		for j := range contactsPerCompany {
			n := i*contactsPerCompany + j
			first, last := demoFirstNames[n%len(demoFirstNames)], demoLastNames[(n*5+n/len(demoFirstNames))%len(demoLastNames)]
			types := []AssociationSpec{{HubspotDefined, 279}}
			if j != 3 {
				types[0].TypeID = 1 // primary
			}
			out = append(out, CreateRecord{
				Properties: map[string]string{
					"email":     fmt.Sprintf("%s.%s%d@%s", strings.ToLower(first), strings.ToLower(last), n, domain),
					"firstname": first, "lastname": last, "company": name, "jobtitle": b.pick(demoTitles), "city": company.Bag.Get("city"),
					"phone": fmt.Sprintf("+49 30 5550%03d", n), "lifecyclestage": b.pick(demoStages), "hs_lead_status": b.pick(demoLeadStatuses),
					"hubspot_owner_id": b.pick(b.owners), "createdate": b.date(390 - 2*n),
				},
				Associations: []NewAssociation{{To: company.ID, Types: types}},
			})
		}
	}
	return out
}

func (b *demo) deals(companies, contacts []*Record) (out []CreateRecord) {
	for i := range 60 {
		company, stage := companies[i%len(companies)], b.pick(demoDealStages)
		created := 300 - 4*i
		out = append(out, CreateRecord{
			Properties: map[string]string{
				"dealname": company.Bag.Get("name") + " – " + b.pick(demoProducts), "amount": strconv.Itoa(2_500 + i*1_750%84_000),
				"pipeline": "default", "dealstage": stage, "dealtype": b.pick([]string{"newbusiness", "existingbusiness"}),
				"closedate": b.date(created - 45), "hubspot_owner_id": b.pick(b.owners), "createdate": b.date(created),
			},
			Associations: []NewAssociation{
				{To: company.ID, Types: []AssociationSpec{{HubspotDefined, 5}}},
				{To: contacts[(i*contactsPerCompany+i%3)%len(contacts)].ID, Types: []AssociationSpec{{HubspotDefined, 3}}},
			},
		})
	}
	return out
}

func (b *demo) tickets(companies, contacts []*Record) (out []CreateRecord) {
	for i := range 50 {
		contact := contacts[i*3%len(contacts)]
		subject := b.pick(demoSubjects)
		out = append(out, CreateRecord{
			Properties: map[string]string{
				"subject": subject, "content": contact.Bag.Get("firstname") + " wrote: " + strings.ToLower(subject[:1]) + subject[1:] + ", please have a look.",
				"hs_pipeline": "0", "hs_pipeline_stage": b.pick([]string{"1", "2", "3", "4"}), "hs_ticket_priority": b.pick([]string{"LOW", "MEDIUM", "HIGH"}),
				"hs_ticket_category": b.pick([]string{"PRODUCT_ISSUE", "BILLING_ISSUE", "FEATURE_REQUEST", "GENERAL_INQUIRY"}),
				"hubspot_owner_id":   b.pick(b.owners), "createdate": b.date(150 - 3*i),
			},
			Associations: []NewAssociation{
				{To: contact.ID, Types: []AssociationSpec{{HubspotDefined, 16}}},
				{To: companies[i*3/contactsPerCompany%len(companies)].ID, Types: []AssociationSpec{{HubspotDefined, 26}}},
			},
		})
	}
	return out
}
