package crm

import (
	"context"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
)

// Found is a page of a search. Total counts all matches.
type Found struct {
	Total   int
	Records []*Record
	Next    int // offset of the next page, 0 when this is the last
}

// Search returns live records, as of everything that is committed. It returns
// InvalidRequest and InvalidProperties for a search that breaks a rule.
func (c *CRM) Search(ctx context.Context, p *auth.Principal, t Type, in search.Request) (Found, error) {
	d, err := c.Definitions(ctx, p)
	if err != nil {
		return Found{}, err
	}
	page, err := c.index.Find(ctx, d.fields(t), in)
	out := Found{Total: page.Total, Next: page.Next, Records: make([]*Record, len(page.Records))}
	for i, r := range page.Records {
		out.Records[i] = &Record{Record: *r}
	}
	return out, err
}

// Index writes everything that is committed into the indexes that are filled behind the writes.
func (c *CRM) Index(ctx context.Context) error { return c.index.Fill(ctx) }

// fields returns what a search knows of a type.
func (d *Definitions) fields(t Type) *search.Fields {
	td := d.types[t]
	return &search.Fields{Portal: d.Portal.ID, Type: t, Property: td.property, Searchable: td.searchable}
}

func (c *CRM) fieldsOf(ctx context.Context, portal int64, t schema.Type) (*search.Fields, error) {
	d, err := c.definitionsOf(ctx, portal)
	if err != nil {
		return nil, err
	}
	return d.fields(t), nil
}

// storedParts returns the stored part of each record.
func storedParts(records []*Record) []*schema.Record {
	out := make([]*schema.Record, len(records))
	for i, r := range records {
		out[i] = &r.Record
	}
	return out
}
