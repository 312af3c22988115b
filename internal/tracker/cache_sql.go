package tracker

import "understudy/internal/platform/store"

// stamp is an id with the version of its row.
type stamp struct {
	id      string
	version int64
}

// rows gives the rows of a list, FROM and what follows; with parented, also the
// id of the parent that each hangs on, the column parent_key.
func (k *Kind[T]) rows(v *View, from string, args []any, parented bool) (rows []*T, parents []string, err error) {
	more := ""
	if parented {
		more = ", t.parent_key"
	}
	scan := func(r store.Row, dest ...any) error {
		if parented {
			parents = append(parents, "")
			dest = append(dest, &parents[len(parents)-1])
		}
		return r.Scan(dest...)
	}
	cache := k.cache(v)
	if cache == nil {
		err = v.tx.Each("SELECT "+k.selected+more+" "+from, args, func(r store.Row) error {
			t := new(T)
			rows = append(rows, t)
			return scan(r, k.dest(t)...)
		})
		return rows, parents, err
	}
	key := pageKey(k.Name, from, args)
	l, ok := v.t.caches.pages.get(key, v.sync)
	if !ok {
		err = v.tx.Each("SELECT t.id, t.version"+more+" "+from, args, func(r store.Row) error {
			l.stamps = append(l.stamps, stamp{})
			s := &l.stamps[len(l.stamps)-1]
			return scan(r, &s.id, &s.version)
		})
		if err != nil {
			return nil, nil, err
		}
		l.parents = parents
		v.t.caches.pages.put(key, v.sync, l)
	}
	rows, err = k.stamped(v, cache, l.stamps)
	return k.shared(rows), l.parents, err
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
