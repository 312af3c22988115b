package diff

import "understudy/internal/platform/store"

// CameAndWent returns the things that authors of a kind created between the two
// states and deleted again, which no comparison shows, in the order of creation:
// each with the request that deleted it. exact is false if there may be others.
func (r *Reading) CameAndWent(kind uint8) (list []EffectOn, exact bool, err error) {
	if r.origins == nil {
		return nil, false, nil
	}
	made, exact := r.origins.Made(kind)
	hidden := make([]Effect, len(made)) // existing rows that may not exist for clients must be read
	for i, m := range made {
		x := Effect{Seq: m.Last.Seq, World: m.World, Table: m.Table, Row: m.Row, First: store.Inserted, Last: m.Last.Op}
		e := r.entityOf(&x)
		x.Any = e == nil || e.Gone == nil || m.Last.Kind != kind
		hidden[i] = x
	}
	kinds, of, err := r.effectRows(hidden)
	if err != nil {
		return nil, false, err
	}
	for i, m := range made {
		k := kinds[of[i]]
		e := k.entity
		if e == nil || m.Last.Kind != kind {
			continue
		}
		on := EffectOn{Seq: m.Last.Seq, Op: "delete", Service: e.Service, Entity: e.Name}
		if m.Last.Op != store.Deleted {
			known := k.row(m.Row)
			if known == nil || !known.gone {
				continue
			}
			on.Service, on.Entity, on.Key = known.Service, known.Entity, known.Key
		}
		list = append(list, on)
	}
	return list, exact, nil
}
