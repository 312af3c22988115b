package tracker

import "understudy/internal/platform/store"

// stamp is an id with the version of its row.
type stamp struct {
	id      string
	version int64
}

// rows gives the rows of a list: FROM and what follows, with more columns of
// the reply after the stamps going to each.
func (k *Kind[T]) rows(v *View, from string, args []any, more string, each func(r store.Row, dest ...any) error) ([]*T, error) {
	cache := k.cache(v)
	if cache == nil {
		var out []*T
		err := v.tx.Each("SELECT "+k.selected+more+" "+from, args, func(r store.Row) error {
			t := new(T)
			out = append(out, t)
			return each(r, k.dest(t)...)
		})
		return out, err
	}
	var stamps []stamp
	err := v.tx.Each("SELECT t.id, t.version"+more+" "+from, args, func(r store.Row) error {
		stamps = append(stamps, stamp{})
		s := &stamps[len(stamps)-1]
		return each(r, &s.id, &s.version)
	})
	if err != nil {
		return nil, err
	}
	out, err := k.stamped(v, cache, stamps)
	return k.shared(out), err
}

func (k *Kind[T]) dest(t *T) []any {
	dest := make([]any, len(k.columns), len(k.columns)+1)
	for i := range k.columns {
		dest[i] = k.columns[i].ptr(t)
	}
	return dest
}

// stamped gives the rows of stamps, reading those that the cache does not have.
func (k *Kind[T]) stamped(v *View, cache *rowCache[T], stamps []stamp) ([]*T, error) {
	ids := make([]string, len(stamps))
	for i, s := range stamps {
		ids[i] = s.id
	}
	out := make([]*T, len(stamps))
	var missing []string
	for i, e := range cache.look(v.org, ids) {
		if e.row != nil && e.version == stamps[i].version {
			out[i] = e.row
		} else {
			missing = append(missing, ids[i])
		}
	}
	if len(missing) > 0 {
		read, err := k.fetch(v, cache, missing)
		if err != nil {
			return nil, err
		}
		for i := range out {
			if out[i] == nil {
				out[i] = read[ids[i]]
			}
		}
	}
	return out, nil
}

// fetch reads rows by id and keeps them.
func (k *Kind[T]) fetch(v *View, cache *rowCache[T], ids []string) (map[string]*T, error) {
	out := make(map[string]*T, len(ids))
	for len(ids) > 0 {
		n := min(len(ids), 500)
		args := append([]any{v.org}, padded(ids[:n])...)
		rows, err := k.query(v.tx, "SELECT "+k.selected+" FROM "+k.table+" t WHERE t.org = ? AND t.id IN "+store.In(len(args)-1), args...)
		if err != nil {
			return nil, err
		}
		light := make([]*T, 0, len(rows))
		for _, t := range rows {
			out[k.base(t).ID] = t
			if k.heavy == nil || !k.heavy(t) {
				light = append(light, t)
			}
		}
		cache.keep(v.org, light, k.base, v.sync)
		ids = ids[n:]
	}
	return out, nil
}

// present gives the rows of ids that exist, whoever may see them.
func (k *Kind[T]) present(v *View, cache *rowCache[T], ids []string) ([]*T, error) {
	rows := make([]*T, 0, len(ids))
	var missing []string
	for i, e := range cache.look(v.org, ids) {
		if e.row != nil && e.checked == v.sync {
			rows = append(rows, e.row)
		} else {
			missing = append(missing, ids[i])
		}
	}
	if len(missing) == 0 {
		return k.shared(rows), nil
	}
	// Rows that were there at another sync id are asked for by version.
	var stamps []stamp
	args := append([]any{v.org}, padded(missing)...)
	err := v.tx.Each("SELECT t.id, t.version FROM "+k.table+" t WHERE t.org = ? AND t.id IN "+store.In(len(args)-1), args, func(r store.Row) error {
		stamps = append(stamps, stamp{})
		s := &stamps[len(stamps)-1]
		return r.Scan(&s.id, &s.version)
	})
	if err != nil {
		return nil, err
	}
	more, err := k.stamped(v, cache, stamps)
	if err != nil {
		return nil, err
	}
	light := make([]*T, 0, len(more))
	for _, t := range more {
		if k.heavy == nil || !k.heavy(t) {
			light = append(light, t)
		}
	}
	cache.keep(v.org, light, k.base, v.sync)
	return k.shared(append(rows, more...)), nil
}

// visible gives the condition for what the viewer may see, "" when that is all.
func (k *Kind[T]) visible(v *View) (string, []any) {
	if k.hide == nil {
		return "", nil
	}
	return k.hide(v)
}
