package entity

import (
	"strconv"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/store"
)

// listing is the result of a statement.
type listing struct {
	version int64
	stamps  []stamp
	parents []string // of each row, for lists of several parents
	// numbers are the numbers of the rows in SQLite's table. VACUUM, which does not
	// change the version, may renumber them.
	numbers []int64
}

// listingBytes bounds the listings that are cached, in bytes.
const listingBytes = 4 << 20

// idBytes is the length of an id.
const idBytes = 36

// read reads the ids, versions and numbers of a list on SQLite. It calls fn for each row.
func (l *listing) read(tx *store.Tx, q listed, fn func(store.Row)) error {
	var st stamp
	var number int64
	l.stamps, l.numbers = make([]stamp, 0, q.most), make([]int64, 0, q.most)
	ids := store.Texts{AtOnce: idBytes * q.most}
	places := []any{&st.id, &st.version, &number} // one for all rows: what Scan receives is allocated
	return tx.Each("SELECT t.id, t.version, t.rowid "+q.from, q.args, func(r store.Row) error {
		if err := store.ScanTogether(r, &ids, places...); err != nil {
			return err
		}
		l.stamps, l.numbers = append(l.stamps, st), append(l.numbers, number)
		fn(r)
		return nil
	})
}

// weight estimates the bytes of a listing under a key.
func (l *listing) weight(key string) int {
	return len(key) + 200 + 64*len(l.stamps) + 56*len(l.parents) + 8*len(l.numbers)
}

// listings caches which rows a statement returned at a version of the tenant. The
// statement and its arguments include everything that the result depends on, also
// the caller's view and the time, and every change of a row changes the tenant's
// version. So at the same version the database would return the same rows.
type listings struct {
	cache *cache.Bounded[string, listing]
}

func newListings() listings {
	return listings{cache.NewBounded(listingBytes, func(key string, l listing) int { return l.weight(key) })}
}

// get returns what was put under the key at this version; the caller must not change it.
func (c listings) get(key string, version int64) (listing, bool) {
	if key == "" {
		return listing{}, false
	}
	l, ok := c.cache.Get(key)
	if !ok || l.version != version {
		return listing{}, false
	}
	return l, true
}

// put stores the reply to a statement at a version, unless a newer one is stored.
func (c listings) put(key string, version int64, l listing) {
	if l.version = version; key != "" {
		c.cache.PutUnless(key, l, func(old listing) bool { return old.version > version })
	}
}

// pageKey returns the key of a statement: its table, text and arguments. It
// returns "" when an argument is of a type whose value may change.
func pageKey(table, from string, args []any) string {
	b := make([]byte, 0, 64+len(from)+40*len(args))
	b = append(append(append(b, table...), 0), from...)
	for _, a := range args {
		b = append(b, 0)
		switch a := a.(type) {
		case string:
			b = strconv.AppendInt(append(b, 's'), int64(len(a)), 10)
			b = append(append(b, ':'), a...)
		case int64:
			b = strconv.AppendInt(append(b, 'i'), a, 10)
		case bool:
			b = strconv.AppendBool(append(b, 'b'), a)
		case float64:
			b = strconv.AppendFloat(append(b, 'f'), a, 'g', -1, 64)
		default:
			return ""
		}
	}
	return string(b)
}
