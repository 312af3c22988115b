package crm

// GatherAtMost has searches with more candidates walk along indexes.
func (c *CRM) GatherAtMost(n int) { c.gather = n }

// SampleMany has so many records of a sample stand for very many matches.
func (c *CRM) SampleMany(n int) { c.sampleMany = n }
