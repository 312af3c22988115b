package crm

import (
	"maps"
	"math"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// followStage updates the deals in a stage after its metadata has changed. A deal
// with its own probability keeps it.
func (c *CRM) followStage(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, before map[string]string, s *Stage) error {
	if t != Deals || maps.Equal(before, s.Metadata) {
		return nil
	}
	d.types[t].stages[s.ID] = s
	in := d.types[t].property("dealstage")
	rows, err := recordsWith(tx, d.Portal.ID, in.Number, []string{in.Key(s.ID)}, math.MaxInt32)
	if err != nil {
		return err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.record
	}
	for chunk := range slices.Chunk(ids, 500) {
		deals, err := getRecords(tx, d.Portal.ID, t, chunk, true)
		if err != nil {
			return err
		}
		for _, id := range chunk {
			r := deals[id]
			old := r.Bag.Map()
			values := maps.Clone(old)
			if values[stageProbability] == plain(before["probability"]) {
				values[stageProbability] = plain(s.Metadata["probability"])
			}
			d.compute(t, values, old, r.Created, c.now())
			if err := c.saveValues(tx, p, d, r, old, values); err != nil {
				return err
			}
		}
	}
	return nil
}
