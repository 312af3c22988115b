package search

import (
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// isBeside reports whether the index is filled beside the writers, on PostgreSQL.
func isBeside(tx *store.Tx) bool { return tx.Dialect() == store.PostgreSQL }

// wordsBatch is one step of filling the index.
type wordsBatch struct {
	from      int64   // all records up to it are already indexed
	mark      int64   // all records up to it are indexed after this step
	beside    bool    // the index is filled beside the writers
	built     int64   // number of chunks with postings
	size      int64   // of a chunk
	again     []int64 // records that have changed
	notes     []int64 // keys of the rows of crm_fts_pending that name them
	records   []portalRecord
	documents []string
	entries   []*entry // of records
	filled    *chunk   // set if the step contains the whole chunk to build next
	last      int64    // the newest record
	more      bool     // another step is needed, for instance because a record changed before saving
}

type portalRecord struct {
	portal int64
	*schema.Record
}

// pendingWords returns the next records to index or to index again; nil when
// there are none. A step ends at the end of a chunk.
func pendingWords(tx *store.Tx, limit int, size int64) (*wordsBatch, error) {
	b := &wordsBatch{size: size, beside: isBeside(tx)}
	mark, last, pending, err := progress(tx)
	if err != nil || mark >= last && !pending {
		return nil, err
	}
	if pending {
		if err := b.readNotes(tx, limit); err != nil {
			return nil, err
		}
	}
	b.last, b.from = last, max(mark, schema.FirstID-1)
	b.mark = min(last, b.from+int64(limit))
	if b.built, err = builtChunks(tx); err != nil {
		return nil, err
	}
	b.mark = min(b.mark, b.lastOf(b.chunkOf(b.from+1)))
	b.more = b.mark < last || len(b.notes) == limit // some ids have no record
	if b.beside {
		return b, b.readBeside(tx)
	}
	return b, b.read(tx)
}

// progress returns up to which id records are indexed, the id of the newest record,
// and whether indexed records have changed.
func progress(tx *store.Tx) (mark, last int64, pending bool, err error) {
	_, err = tx.Get(`SELECT next, COALESCE((SELECT next FROM crm_sequence WHERE name = 'record'), 1) - 1, EXISTS (SELECT 1 FROM crm_fts_pending)
		FROM crm_sequence WHERE name = 'words'`, nil, &mark, &last, &pending)
	return mark, last, pending, err
}

// readNotes reads which records have changed.
func (b *wordsBatch) readNotes(tx *store.Tx, limit int) error {
	err := tx.Each(`SELECT `+tx.Dialect().Pick("id", "seq")+`, id FROM crm_fts_pending ORDER BY 1 LIMIT ?`, []any{limit}, func(r store.Row) error {
		var key, id int64
		err := r.Scan(&key, &id)
		b.notes, b.again = append(b.notes, key), append(b.again, id)
		return err
	})
	slices.Sort(b.again)
	b.again = slices.Compact(b.again)
	return err
}

// chunkOf returns the number of the chunk of an id, and lastOf the last id of a chunk.
func (b *wordsBatch) chunkOf(id int64) int64    { return (id - schema.FirstID) / b.size }
func (b *wordsBatch) lastOf(number int64) int64 { return schema.FirstID + (number+1)*b.size - 1 }

// fills reports whether the step contains the whole chunk to build next.
func (b *wordsBatch) fills() bool {
	return b.from+1 == schema.FirstID+b.built*b.size && b.mark == b.lastOf(b.built)
}

// follows reports whether a whole chunk follows the step.
func (b *wordsBatch) follows() bool { return b.last >= b.lastOf(b.chunkOf(b.mark+1)) }

// wordsReach reports whether the index includes the records up to last and every
// change. It first sets a negative last to the newest record.
func wordsReach(tx *store.Tx, last *int64) (bool, error) {
	mark, newest, pending, err := progress(tx)
	if *last < 0 {
		*last = newest
	}
	return mark >= *last && !pending, err
}

// wordsAreCurrent reports whether the index includes all committed records.
func wordsAreCurrent(tx *store.Tx) (bool, error) {
	last := int64(-1)
	return wordsReach(tx, &last)
}

// read loads the records of the step.
func (b *wordsBatch) read(tx *store.Tx) error {
	return b.each(tx, recordColumns, func(portal int64, t schema.Type, row store.Row) error {
		r := &schema.Record{Type: t}
		err := row.Scan(columnsOf(r)...)
		b.records = append(b.records, portalRecord{portal, r})
		return err
	})
}

// each calls f with columns of each live record of the step, grouped by portal
// and type.
func (b *wordsBatch) each(tx *store.Tx, columns string, f func(portal int64, t schema.Type, row store.Row) error) error {
	type place struct{ portal, t int64 }
	var places []place
	err := tx.Each(`SELECT portal, type FROM crm_tally`, nil, func(r store.Row) error {
		var p place
		err := r.Scan(&p.portal, &p.t)
		places = append(places, p)
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range places {
		add := func(row store.Row) error { return f(p.portal, schema.Type(p.t), row) }
		err := tx.Each(`SELECT `+columns+` FROM crm_record r WHERE portal = ? AND type = ? AND id > ? AND id <= ? AND archived = 0`,
			[]any{p.portal, p.t, b.from, b.mark}, add)
		if err != nil {
			return err
		}
		args := []any{p.portal, p.t, b.from}
		for _, id := range b.again {
			args = append(args, id)
		}
		if len(b.again) == 0 {
			continue
		}
		err = tx.Each(`SELECT `+columns+` FROM crm_record r WHERE portal = ? AND type = ? AND id <= ? AND archived = 0 AND id IN `+
			store.In(len(b.again)), args, add)
		if err != nil {
			return err
		}
	}
	return nil
}

// saveWords stores the step's documents in the index. A record that has changed
// since it was read remains in crm_fts_pending, or is inserted into it again.
func saveWords(tx *store.Tx, b *wordsBatch) error {
	gone := make([][]any, len(b.again))
	for i, id := range b.again {
		gone[i] = []any{id}
	}
	if err := tx.ExecBatch(`DELETE FROM crm_fts WHERE rowid = ?`, gone); err != nil {
		return err
	}
	rows := make([][]any, 0, len(b.records))
	var stale [][]any
	unlike := map[int64]bool{}    // records that have changed since they were read
	current := map[int64]*entry{} // entries of the records that were already indexed
	now, err := b.stored(tx)
	if err != nil {
		return err
	}
	for i, r := range b.records {
		if now[r.ID] == r.Bag {
			rows = append(rows, []any{r.ID, b.documents[i]})
			if r.ID <= b.from {
				current[r.ID] = b.entries[i]
			}
		} else {
			stale, unlike[r.ID] = append(stale, []any{r.ID}), true
		}
	}
	b.more = b.more || len(stale) > 0
	if err := tx.ExecBatch(`DELETE FROM crm_fts_pending WHERE id = ?`, gone); err != nil {
		return err
	}
	if err := tx.ExecBatch(notePending, stale); err != nil {
		return err
	}
	if err := tx.ExecBatch(`INSERT INTO crm_fts (rowid, words) VALUES (?, ?)`, rows); err != nil {
		return err
	}
	if b.filled != nil && len(stale) > 0 {
		b.filled = b.fill(unlike)
	}
	if err := b.savePostings(tx, current); err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE crm_sequence SET next = ? WHERE name = 'words'`, b.mark)
	return err
}

// stored returns the current values of the step's live records.
func (b *wordsBatch) stored(tx *store.Tx) (map[int64]schema.Bag, error) {
	out := make(map[int64]schema.Bag, len(b.records))
	err := b.each(tx, `r.id, r.properties`, func(_ int64, _ schema.Type, row store.Row) error {
		var id int64
		var bag string
		err := row.Scan(&id, &bag)
		out[id] = schema.Bag(bag)
		return err
	})
	return out, err
}

// savePostings stores the postings of the step's records. A record that is not in
// current was removed, or has changed and is pending.
func (b *wordsBatch) savePostings(tx *store.Tx, current map[int64]*entry) error {
	changed := map[int64]map[int64]*entry{} // by chunk and id
	for _, id := range b.again {
		if n := b.chunkOf(id); n < b.built {
			if changed[n] == nil {
				changed[n] = map[int64]*entry{}
			}
			changed[n][id] = current[id]
		}
	}
	if len(changed) > 0 {
		if err := updateChunks(tx, b.size, changed); err != nil {
			return err
		}
	}
	if b.filled == nil {
		return nil
	}
	return saveChunk(tx, b.filled)
}

// fill returns the postings of the chunk that the step contains, except those of
// some records.
func (b *wordsBatch) fill(without map[int64]bool) *chunk {
	var ids []int64
	var entries []*entry
	for i, r := range b.records {
		if r.ID > b.from && !without[r.ID] {
			ids, entries = append(ids, r.ID), append(entries, b.entries[i])
		}
	}
	return fillChunk(b.built, b.size, ids, entries)
}

// unbuiltChunk returns the records of the next completely indexed chunk without
// postings; nil when there is none.
func unbuiltChunk(tx *store.Tx, size int64) (*wordsBatch, error) {
	b := &wordsBatch{size: size}
	var err error
	if b.built, err = builtChunks(tx); err != nil {
		return nil, err
	}
	var mark int64
	if _, err := tx.Get(`SELECT next FROM crm_sequence WHERE name = 'words'`, nil, &mark); err != nil || b.lastOf(b.built) > mark {
		return nil, err
	}
	b.from, b.mark = schema.FirstID+b.built*size-1, b.lastOf(b.built)
	return b, b.read(tx)
}

// Replace marks a changed record as pending.
func Replace(tx *store.Tx, record int64) error { return note(tx, [][]any{{record}}) }

// Update marks changed records as pending. On SQLite, records that the index has
// not reached need no mark: saveWords compares their values with those that it
// read.
func Update(tx *store.Tx, records []*schema.Record) error {
	if len(records) == 0 {
		return nil
	}
	var mark int64
	if !isBeside(tx) {
		if _, err := tx.Get(`SELECT next FROM crm_sequence WHERE name = 'words'`, nil, &mark); err != nil {
			return err
		}
	}
	var rows [][]any
	for _, r := range records {
		if r.ID <= mark || isBeside(tx) {
			rows = append(rows, []any{r.ID})
		}
	}
	return note(tx, rows)
}

// Remove marks a removed record as pending.
func Remove(tx *store.Tx, record int64) error { return note(tx, [][]any{{record}}) }

const notePending = `INSERT INTO crm_fts_pending (id) VALUES (?) ON CONFLICT DO NOTHING`

func note(tx *store.Tx, rows [][]any) error { return tx.ExecBatch(notePending, rows) }
