package crm

import (
	"context"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
)

// GatherAtMost sets the number of candidates above which searches scan indexes.
func (c *CRM) GatherAtMost(n int) { c.index.Gather = n }

// SampleMany sets how many records of a sample stand for very many matches.
func (c *CRM) SampleMany(n int) { c.index.SampleMany = n }

// SharedTypes lists the types whose definitions two portals have in common.
func SharedTypes(a, b *Definitions) (out []Type) {
	for _, t := range Types {
		if a.types[t] == b.types[t] {
			out = append(out, t)
		}
	}
	return out
}

// ChunkOf sets the number of ids in a row of postings, a multiple of 8. It is
// called before the first record.
func (c *CRM) ChunkOf(n int64) { c.index.Chunk = n }

// FieldsOf returns what a search knows of a type.
func (c *CRM) FieldsOf(ctx context.Context, portal int64, t schema.Type) (*search.Fields, error) {
	return c.fieldsOf(ctx, portal, t)
}

// World returns the database of the CRM.
func (c *CRM) World() *store.World { return c.world }
