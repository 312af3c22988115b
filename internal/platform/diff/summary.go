package diff

import (
	"cmp"
	"slices"
)

// Count is the numbers of created, updated and deleted things of an entity.
type Count struct {
	Service string `json:"service"`
	Entity  string `json:"entity"`
	Inserts int    `json:"inserts"`
	Updates int    `json:"updates"`
	Deletes int    `json:"deletes"`
}

// Summary returns the numbers of changes between the two states, in the order of
// service and entity. It uses only Service and Entity of o. It returns the errors
// of Compare.
func (r *Reading) Summary(o Options) ([]Count, error) {
	type sort struct{ service, entity string }
	counts := map[sort]*Count{}
	o.Limit, o.Whole, o.Cursor = summaryStep, false, ""
	for {
		found, err := r.Compare(o)
		if err != nil {
			return nil, err
		}
		for i, list := range [][]Change{found.Inserts, found.Updates, found.Deletes} {
			for j := range list {
				s := sort{list[j].Service, list[j].Entity}
				if counts[s] == nil {
					counts[s] = &Count{Service: s.service, Entity: s.entity}
				}
				*[]*int{&counts[s].Inserts, &counts[s].Updates, &counts[s].Deletes}[i]++
			}
		}
		if o.Cursor = found.Next; o.Cursor == "" {
			break
		}
	}
	out := make([]Count, 0, len(counts))
	for _, c := range counts {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Entity, b.Entity))
	})
	return out, nil
}

// summaryStep is how many changes are in memory at a time while counting.
const summaryStep = 10_000

// wants reports whether the options may select changes of an entity.
func (o *Options) wants(e *Entity) bool {
	if o.Service != "" && e.Service != "" && e.Service != o.Service {
		return false
	}
	if o.Entity == "" {
		return true
	}
	if e.Sorts != nil {
		return slices.Contains(e.Sorts, o.Entity)
	}
	return e.Name == o.Entity
}
