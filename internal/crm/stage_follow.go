package crm

import (
	"maps"
	"math"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// followStage has the deals in a stage follow what it means now; meant is its
// metadata before. A probability that is not the stage's own stays.
func (c *CRM) followStage(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, meant map[string]string, s *Stage) error {
	if t != Deals || maps.Equal(meant, s.Metadata) {
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
			if values[stageProbability] == plain(meant["probability"]) {
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
