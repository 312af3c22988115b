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
	Next    int // offset of the next page, 0 on the last
}

// Search returns live records, including all committed writes. It returns
// InvalidRequest and InvalidProperties for an invalid search.
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

// Index updates the indexes that are filled behind the writes with everything
// that is committed.
func (c *CRM) Index(ctx context.Context) error { return c.index.Fill(ctx) }

// fields returns the description of a type for searches.
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
