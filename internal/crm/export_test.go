package crm

// GatherAtMost has searches with more candidates walk along indexes.
func (c *CRM) GatherAtMost(n int) { c.gather = n }
