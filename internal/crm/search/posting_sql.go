package search

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// builtChunks returns the number of chunks with postings.
func builtChunks(tx *store.Tx) (n int64, err error) {
	_, err = tx.Get(`SELECT next FROM crm_sequence WHERE name = 'postings'`, nil, &n)
	return n, err
}

// pendingIDs returns the records that have changed since they were indexed, at
// most n.
func pendingIDs(tx *store.Tx, n int) (out []int64, err error) {
	err = tx.Each(`SELECT DISTINCT id FROM crm_fts_pending ORDER BY id LIMIT `+strconv.Itoa(n), nil, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// recordsFrom returns live records from an id on, in the order of ids, at most n. It
// calls count with each as it is read, stops at its error and returns it.
func recordsFrom(tx *store.Tx, f *Fields, from int64, n int, count func(*schema.Record) error) (out []*schema.Record, err error) {
	err = tx.Each(`SELECT `+recordColumns+` FROM crm_record r WHERE r.portal = ? AND r.type = ? AND r.id >= ? AND r.archived = 0 ORDER BY r.id LIMIT `+strconv.Itoa(n),
		[]any{f.Portal, f.Type, from}, func(row store.Row) error {
			r := &schema.Record{Type: f.Type}
			if err := row.Scan(columnsOf(r)...); err != nil {
				return err
			}
			out = append(out, r)
			return count(r)
		})
	return out, err
}

// saveChunk stores the first postings of a complete chunk.
func saveChunk(tx *store.Tx, c *chunk) error {
	var rows [][]any
	for p, b := range c.postings {
		rows = append(rows, []any{p.portal, p.property, p.value, c.number, b})
	}
	slices.SortFunc(rows, func(a, b []any) int {
		if n := int(a[1].(int64) - b[1].(int64)); n != 0 {
			return n
		}
		return strings.Compare(a[2].(string), b[2].(string))
	})
	n, err := tx.Exec(`UPDATE crm_sequence SET next = ? WHERE name = 'postings' AND next = ?`, c.number+1, c.number)
	if err != nil {
		return err
	}
	if n == 0 {
		return errStored
	}
	if err := insertPostings(tx, rows); err != nil {
		return err
	}
	return saveRanks(tx, c)
}

// errStored means that another process, whose lock this one has taken over, was
// faster.
var errStored = errors.New("the sets of records are stored already")

// insertPostings stores rows of crm_posting.
func insertPostings(tx *store.Tx, rows [][]any) error {
	const insert, conflict = `INSERT INTO crm_posting (portal, property, value, chunk, bits) `,
		` ON CONFLICT (portal, property, value, chunk) DO UPDATE SET bits = excluded.bits`
	if !isBeside(tx) || len(rows) == 0 {
		return tx.ExecBatch(insert+`VALUES (?, ?, ?, ?, ?)`+conflict, rows)
	}
	portals, properties, chunks := make([]int64, len(rows)), make([]int64, len(rows)), make([]int64, len(rows))
	values, bits := make([]string, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		portals[i], properties[i], values[i] = r[0].(int64), r[1].(int64), r[2].(string)
		chunks[i], bits[i] = r[3].(int64), r[4].([]byte)
	}
	_, err := tx.Exec(insert+`SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]), CAST(? AS BYTEA[]))`+conflict,
		portals, properties, values, chunks, bits)
	return err
}

// updateChunks updates the postings of chunks for changed records, by chunk and id.
func updateChunks(tx *store.Tx, size int64, changed map[int64]map[int64]*entry) error {
	numbers := slices.Sorted(maps.Keys(changed))
	chunks, concerns := map[int64]*chunk{}, map[int64]func(posting, []byte) bool{}
	for _, n := range numbers {
		c := newChunk(n, size)
		chunks[n], concerns[n] = c, c.concerning(changed[n])
	}
	err := eachInChunks(tx, `SELECT chunk, portal, property, value, bits FROM crm_posting`, numbers, func(r store.Row) error {
		var n int64
		var p posting
		var b []byte
		if err := r.Scan(&n, &p.portal, &p.property, &p.value, &b); err != nil {
			return err
		}
		if concerns[n](p, b) {
			chunks[n].postings[p] = slices.Clone(b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := readRanks(tx, numbers, chunks); err != nil {
		return err
	}
	var rows [][]any
	var all []*chunk
	for _, n := range numbers {
		c := chunks[n]
		before := map[posting]string{}
		for p, b := range c.postings {
			before[p] = string(b)
		}
		for id, e := range changed[n] {
			c.update(id, e)
		}
		for p, b := range c.postings {
			if before[p] != string(b) {
				rows = append(rows, []any{p.portal, p.property, p.value, n, b})
			}
		}
		all = append(all, c)
	}
	if err := insertPostings(tx, rows); err != nil {
		return err
	}
	return saveRanks(tx, all...)
}

// eachInChunks calls f with the rows of some chunks: on PostgreSQL with one
// statement, since each is a round trip.
func eachInChunks(tx *store.Tx, sql string, numbers []int64, f func(store.Row) error) error {
	if isBeside(tx) {
		return tx.Each(sql+` WHERE chunk = ANY(CAST(? AS BIGINT[]))`, []any{numbers}, f)
	}
	for _, n := range numbers {
		if err := tx.Each(sql+` WHERE chunk = ?`, []any{n}, f); err != nil {
			return err
		}
	}
	return nil
}

// readChunks adds the stored rows of a posting to a set and returns the chunks
// without a row.
func (ps *postings) readChunks(p posting, into set) (missing []int64, err error) {
	next := int64(0)
	err = ps.tx.Each(`SELECT chunk, bits FROM crm_posting WHERE portal = ? AND property = ? AND value = ? AND chunk < ? ORDER BY chunk`,
		[]any{p.portal, p.property, p.value, ps.built}, func(r store.Row) error {
			var number int64
			var b []byte
			if err := r.Scan(&number, &b); err != nil {
				return err
			}
			for ; next < number; next++ {
				missing = append(missing, next)
			}
			next = number + 1
			first := number * ps.size
			for i, one := range b {
				at := first + int64(i)*8
				into[at/64] |= uint64(one) << (at % 64)
			}
			return nil
		})
	for ; next < ps.built; next++ {
		missing = append(missing, next)
	}
	return missing, err
}

const (
	// maxProbed is up to how many chunks are looked up one by one; for more the whole
	// index is read.
	maxProbed = 64
	// maxProbedWords is the same for words on PostgreSQL, where all records of a chunk
	// are read: its index of words has no order of ids.
	maxProbedWords = 8
)

// read returns the set of a posting: its stored rows, and for chunks without one
// the entries of the indexes.
func (ps *postings) read(p posting) (set, error) {
	out := ps.empty()
	missing, err := ps.readChunks(p, out)
	if err != nil || p.always() || len(missing) == 0 {
		return out, err
	}
	sql, args := `SELECT record FROM crm_value WHERE portal = ? AND property = ? AND value = ?`, []any{p.portal, p.property, p.value}
	within, most := sql+` AND record BETWEEN ? AND ?`, maxProbed
	switch {
	case p.isWord() && isBeside(ps.tx):
		sql, args = `SELECT id FROM crm_fts WHERE words @@ CAST(? AS tsquery)`, []any{`'` + p.value + `'`}
		// With OFFSET 0 the planner does not ask the index of words.
		within, most = `WITH q AS (SELECT CAST(? AS tsquery) AS word) SELECT id FROM (SELECT id, words FROM crm_fts WHERE id BETWEEN ? AND ? OFFSET 0) w, q
			WHERE words @@ word`, maxProbedWords
	case p.isWord():
		sql, args = `SELECT rowid FROM crm_fts WHERE crm_fts MATCH ?`, []any{`"` + p.value + `"`}
		within = sql + ` AND rowid BETWEEN ? AND ?`
	}
	if len(missing) > most {
		return out, ps.collect(out, sql, args)
	}
	for _, number := range missing {
		first := schema.FirstID + number*ps.size
		if err := ps.collect(out, within, append(slices.Clone(args), first, first+ps.size-1)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect adds the ids that a statement selects to a set.
func (ps *postings) collect(into set, sql string, args []any) error {
	return ps.tx.Each(sql, args, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		into.add(id)
		return err
	})
}

// listed returns the records of a source unless they are more than most, or a
// sample shows that they are many.
func (ps *postings) listed(s *source, most int) (set, bool, error) {
	var ids []int64
	var err error
	if s.costly {
		var m measure
		m, err = s.measure(ps.tx, most+1)
		ids = m.ids
	} else {
		ids, err = sourceIDs(ps.tx, s, most+1)
	}
	if err != nil || ids == nil || len(ids) > most {
		return nil, false, err
	}
	out := ps.empty()
	for _, id := range ids {
		out.add(id)
	}
	return out, true, nil
}

// all returns all records of a source.
func (ps *postings) all(s *source) (set, error) {
	out := ps.empty()
	return out, ps.collect(out, s.selectIDs(), s.args)
}

// outside returns the sources of the records whose values are outside of a range.
func (pl *plan) outside(p *predicate) (out []*source) {
	column, id, table, base := "v.value", "v.record", "crm_value v", "v.portal = ? AND v.property = ?"
	args, convert := []any{pl.fields.Portal, p.property.Number}, func(k string) any { return k }
	if c := p.property.Column(); c != "" {
		column, id, table, base = "r."+c, "r.id", "crm_record r", "r.portal = ? AND r.type = ? AND r.archived = 0"
		args, convert = []any{pl.fields.Portal, pl.fields.Type}, microsOf
	}
	add := func(compare string, b bound) {
		out = append(out, &source{table: table, id: id, where: base + " AND " + column + compare + " ?", args: append(slices.Clone(args), convert(b.key))})
	}
	if p.low.set {
		add(map[bool]string{true: " <=", false: " <"}[p.low.strict], p.low)
	}
	if p.high.set {
		add(map[bool]string{true: " >=", false: " >"}[p.high.strict], p.high)
	}
	return out
}

// terms returns the words of the index with a prefix, including itself; false for
// more than n.
func (ps *postings) terms(w scopedWord, n int) ([]string, bool, error) {
	text := w.text()
	out := []string{text}
	if isBeside(ps.tx) {
		longer, err := longerWords(ps.tx, ps.f.Portal, w.word, n+1)
		for _, l := range longer {
			out = append(out, w.scope+l)
		}
		return out, len(out) <= n, err
	}
	err := ps.tx.Each("SELECT term FROM crm_fts_vocab WHERE term >= ? AND term < ? LIMIT "+strconv.Itoa(n+1),
		[]any{text + "0", text + "\U0010FFFF"}, func(r store.Row) error {
			var term string
			err := r.Scan(&term)
			out = append(out, term)
			return err
		})
	return out, len(out) <= n, err
}
