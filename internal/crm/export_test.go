package crm

// GatherAtMost has searches with more candidates walk along indexes.
func (c *CRM) GatherAtMost(n int) { c.index.Gather = n }

// SampleMany has so many records of a sample stand for very many matches.
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

// ChunkOf makes rows of postings stand for n ids, a multiple of 8, before the first record.
func (c *CRM) ChunkOf(n int64) { c.index.Chunk = n }
