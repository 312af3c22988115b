package entity

import (
	"slices"

	"understudy/internal/platform/store"
)

// stamp is an id with the version of its row.
type stamp struct {
	id      string
	version int64
}

// listed is a statement whose rows are a list.
type listed struct {
	from     string // begins with FROM
	args     []any
	most     int  // rows, at most
	parented bool // also returns the column parent_key of each
	remember bool // the reply is cached at the tenant's version
	whole    bool // reads all columns where rows are likely not cached
}

// rows returns the rows of a list, and their parents if it has any.
func (k *Kind[V, T]) rows(s *Scope, q listed) (rows []*T, parents []string, err error) {
	more := ""
	if q.parented {
		more = ", t.parent_key"
	}
	scan := func(r store.Row, dest ...any) error {
		if q.parented {
			parents = append(parents, "")
			dest = append(dest, &parents[len(parents)-1])
		}
		return r.Scan(dest...)
	}
	cache := k.cache(s)
	if cache == nil {
		err = s.Tx.Each("SELECT "+k.selected+more+" "+q.from, q.args, func(r store.Row) error {
			t := new(T)
			rows = append(rows, t)
			return scan(r, k.dest(t)...)
		})
		return rows, parents, err
	}
	key := ""
	if q.remember {
		key = pageKey(k.Table, q.from, q.args)
	}
	l, ok := s.Caches.pages.get(key, s.Version)
	if ok {
		rows, _, err = k.stamped(s, cache, l.stamps, l.numbers)
		return k.copied(rows), l.parents, err
	}
	numbered := !q.parented && s.Tx.Dialect() == store.SQLite
	if q.whole && cache.unlikely() {
		if rows, err = k.whole(s, cache, q, &l); err != nil {
			return nil, nil, err
		}
		s.Caches.pages.put(key, s.Version, l)
		return k.copied(rows), nil, nil
	}
	if numbered {
		err = l.read(s.Tx, q, func(store.Row) {})
	} else {
		var st stamp
		err = s.Tx.Each("SELECT t.id, t.version"+more+" "+q.from, q.args, func(r store.Row) error {
			err := scan(r, &st.id, &st.version)
			l.stamps = append(l.stamps, st)
			return err
		})
	}
	if err != nil {
		return nil, nil, err
	}
	l.parents = parents
	s.Caches.pages.put(key, s.Version, l)
	rows, unknown, err := k.stamped(s, cache, l.stamps, l.numbers)
	cache.met(len(l.stamps)-unknown, len(l.stamps))
	return k.copied(rows), l.parents, err
}

// whole runs the statement of a list and reads its rows. It caches the rows of a short
// list, and of one that has rows in common with a list that was read lately: a client
// that reads a list from end to end asks for no row twice. The rows of other lists are
// allocated together.
func (k *Kind[V, T]) whole(s *Scope, cache *rowCache[T], q listed, l *listing) (rows []*T, err error) {
	b := &block[T]{}
	if q.most > shortList {
		b = newBlock[T](q.most)
	}
	numbered := s.Tx.Dialect() == store.SQLite
	if numbered && k.Indexed {
		rows, err = records(k, s, cache, q, b, l)
	} else {
		rows, err = selectedRows(k, s, q, b, l, numbered)
	}
	if err != nil {
		return nil, err
	}
	had := 0
	switch {
	case q.most <= shortList:
		had = cache.put(s.Tenant, light(rows, k.Heavy), k.base, s.Version)
	case cache.asked(s.Tenant, l.stamps):
		own := make([]*T, 0, len(rows))
		for _, t := range light(rows, k.Heavy) {
			own = append(own, clone(k, t))
		}
		had = cache.put(s.Tenant, own, k.base, s.Version)
	}
	cache.met(had, len(rows))
	return rows, nil
}

// records reads a list as SQLite has stored its rows.
func records[V Viewer, T any](k *Kind[V, T], s *Scope, cache *rowCache[T], q listed, b *block[T], l *listing) ([]*T, error) {
	rows := make([]*T, 0, q.most)
	dest := make([]any, len(k.columns))
	unread := 0
	err := l.read(s.Tx, q, func(r store.Row) {
		t := b.next()
		for i := range k.columns {
			dest[i] = k.columns[i].ptr(t)
		}
		if !store.ScanRecord(r, &k.record, &b.texts, dest...) {
			t = nil
			unread++
		}
		rows = append(rows, t)
	})
	if err == nil && unread > 0 {
		err = readOthers(k, s, cache, l.stamps, l.numbers, rows, unread)
	}
	return rows, err
}

// selectedRows reads a list by a statement for all columns.
func selectedRows[V Viewer, T any](k *Kind[V, T], s *Scope, q listed, b *block[T], l *listing, numbered bool) ([]*T, error) {
	var number int64
	var extra []any
	more := ""
	if numbered {
		more, extra = ", t.rowid", []any{&number}
		l.numbers = make([]int64, 0, q.most)
	}
	rows := make([]*T, 0, q.most)
	size := 0
	err := each(k, s.Tx, more, q.from, q.args, extra, b, func(t *T) {
		rows = append(rows, t)
		size += len(k.base(t).ID)
		if numbered {
			l.numbers = append(l.numbers, number)
		}
	})
	if err != nil {
		return nil, err
	}
	l.stamps = make([]stamp, len(rows))
	var ids store.Texts // of the list alone: those of a row keep all its texts in memory
	ids.Reserve(size)
	for i, t := range rows {
		b := k.base(t)
		l.stamps[i] = stamp{ids.Copy([]byte(b.ID)), b.Version}
	}
	return rows, nil
}

// light returns the rows that are not too large to be cached.
func light[T any](rows []*T, heavy func(*T) bool) []*T {
	if heavy == nil {
		return rows
	}
	out := make([]*T, 0, len(rows))
	for _, t := range rows {
		if !heavy(t) {
			out = append(out, t)
		}
	}
	return out
}

// stamped returns the rows of stamps, and how many were not cached. It reads these by
// their row numbers, or by id where numbers is nil or the table was renumbered.
func (k *Kind[V, T]) stamped(s *Scope, cache *rowCache[T], stamps []stamp, numbers []int64) (out []*T, unknown int, err error) {
	out = make([]*T, len(stamps))
	unknown = cache.newest(s.Tenant, stamps, out)
	if unknown == 0 {
		return out, 0, nil
	}
	return out, unknown, readOthers(k, s, cache, stamps, numbers, out, unknown)
}

// readOthers reads the rows of stamps that are not in rows: so many.
func readOthers[V Viewer, T any](k *Kind[V, T], s *Scope, cache *rowCache[T], stamps []stamp, numbers []int64, rows []*T, unread int) error {
	var missing []string
	numbered, at := make([]string, 0, unread), make([]int64, 0, unread)
	for i, st := range stamps {
		switch {
		case rows[i] != nil:
		case numbers != nil:
			numbered, at = append(numbered, st.id), append(at, numbers[i])
		default:
			missing = append(missing, st.id)
		}
	}
	read := make(map[string]*T, unread)
	if err := k.fetchAt(s, cache, at, read); err != nil {
		return err
	}
	for _, id := range numbered {
		if read[id] == nil {
			missing = append(missing, id)
		}
	}
	if err := k.fetch(s, cache, missing, read); err != nil {
		return err
	}
	for i, st := range stamps {
		if rows[i] == nil {
			rows[i] = read[st.id]
		}
	}
	return nil
}

// atOnce is how many rows one statement reads.
const atOnce = 500

// fetch reads rows by id into a map, and caches them.
func (k *Kind[V, T]) fetch(s *Scope, cache *rowCache[T], ids []string, into map[string]*T) error {
	for part := range slices.Chunk(ids, atOnce) {
		args := append([]any{s.Tenant}, Padded(part)...)
		if err := k.fetchWhere(s, cache, "t.org = ? AND t.id IN "+store.In(len(args)-1), args, into); err != nil {
			return err
		}
	}
	return nil
}

// fetchAt is fetch by row numbers of SQLite. Ids are random: looking up each
// reads another page of their index. Rows that were created one after another
// have adjacent numbers.
func (k *Kind[V, T]) fetchAt(s *Scope, cache *rowCache[T], numbers []int64, into map[string]*T) error {
	for part := range slices.Chunk(numbers, atOnce) {
		least, most := slices.Min(part), slices.Max(part)
		cond, args := "t.rowid BETWEEN ? AND ?", []any{s.Tenant, least, most}
		if most-least >= int64(len(part)+len(part)/4) {
			args = append([]any{s.Tenant}, Padded(part)...)
			cond = "t.rowid IN " + store.In(len(args)-1)
		}
		// "+" prevents the use of the index on the tenant's ids.
		if err := k.fetchWhere(s, cache, "+t.org = ? AND "+cond, args, into); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kind[V, T]) fetchWhere(s *Scope, cache *rowCache[T], cond string, args []any, into map[string]*T) error {
	rows, err := k.Select(s.Tx, "WHERE "+cond, args...)
	if err != nil {
		return err
	}
	for _, t := range rows {
		into[k.base(t).ID] = t
	}
	cache.put(s.Tenant, light(rows, k.Heavy), k.base, s.Version)
	return nil
}

// present returns the rows of ids that exist, regardless of who may see them.
func (k *Kind[V, T]) present(s *Scope, cache *rowCache[T], ids []string) ([]*T, error) {
	rows := make([]*T, 0, len(ids))
	var missing []string
	for i, e := range cache.look(s.Tenant, ids) {
		if e.row != nil && e.checked == s.Version {
			rows = append(rows, e.row)
		} else {
			missing = append(missing, ids[i])
		}
	}
	if len(missing) == 0 {
		return k.copied(rows), nil
	}
	// For rows that were read at another version of the tenant, read the versions.
	var stamps []stamp
	args := append([]any{s.Tenant}, Padded(missing)...)
	err := s.Tx.Each("SELECT t.id, t.version FROM "+k.Table+" t WHERE t.org = ? AND t.id IN "+store.In(len(args)-1), args, func(r store.Row) error {
		stamps = append(stamps, stamp{})
		st := &stamps[len(stamps)-1]
		return r.Scan(&st.id, &st.version)
	})
	if err != nil {
		return nil, err
	}
	more, _, err := k.stamped(s, cache, stamps, nil)
	if err != nil {
		return nil, err
	}
	cache.put(s.Tenant, light(more, k.Heavy), k.base, s.Version)
	return k.copied(append(rows, more...)), nil
}
