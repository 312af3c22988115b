package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// On PostgreSQL the index of words is filled beside the writers, on a connection of
// its own: nothing but this work writes to crm_fts, crm_fts_word, the postings and
// the marks. A write that changes a record adds a row to crm_fts_pending, and a step removes
// exactly the rows that its snapshot had. So a record that changes after the step
// has read it is read again. New records need no row: writers of a world commit one
// after the other, so all ids up to the newest are in the snapshot.

// readBeside loads the records of the step.
func (b *wordsBatch) readBeside(tx *store.Tx) error {
	const records = `SELECT r.portal, r.type, ` + recordColumns + ` FROM crm_tally t JOIN crm_record r ON r.portal = t.portal AND r.type = t.type
		WHERE r.archived = 0 AND r.id `
	sql, args := records+`> ? AND r.id <= ?`, []any{b.from, b.mark}
	if len(b.again) > 0 {
		sql += ` UNION ALL ` + records + `= ANY(CAST(? AS BIGINT[])) AND r.id <= ?`
		args = append(args, b.again, b.from)
	}
	return tx.Each(sql, args, func(row store.Row) error {
		r := portalRecord{Record: &schema.Record{}}
		err := row.Scan(append([]any{&r.portal, &r.Type}, columnsOf(r.Record)...)...)
		b.records = append(b.records, r)
		return err
	})
}

// saveBeside stores the step's documents in the index, their words and postings.
func (b *wordsBatch) saveBeside(tx *store.Tx) error {
	if len(b.notes) > 0 {
		if _, err := tx.Exec(`DELETE FROM crm_fts WHERE id = ANY(CAST(? AS BIGINT[]))`, b.again); err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM crm_fts_pending WHERE seq = ANY(CAST(? AS BIGINT[]))`, b.notes); err != nil {
			return err
		}
	}
	ids, documents := make([]int64, len(b.records)), make([]string, len(b.records))
	words := map[portalWord]bool{}
	current := map[int64]*entry{} // entries of the records that were already indexed
	for i, r := range b.records {
		if r.ID <= b.from {
			current[r.ID] = b.entries[i]
		}
		ids[i], documents[i] = r.ID, strings.TrimSuffix(b.documents[i], " ")
		for w := range strings.FieldsSeq(documents[i]) {
			_, plain, _ := strings.Cut(w, "_")
			words[portalWord{r.portal, plain}] = true
		}
	}
	sorted := slices.SortedFunc(maps.Keys(words), portalWord.compare) // so that neighbours are stored together
	portals, plain := make([]int64, len(sorted)), make([]string, len(sorted))
	for i, w := range sorted {
		portals[i], plain[i] = w.portal, w.word
	}
	_, err := tx.Exec(`WITH documents AS (INSERT INTO crm_fts (id, words) SELECT id, array_to_tsvector(string_to_array(words, ' '))
			FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) d (id, words)),
		words AS (INSERT INTO crm_fts_word (portal, word) SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) ON CONFLICT DO NOTHING)
		UPDATE crm_sequence SET next = ? WHERE name = 'words'`, ids, documents, portals, plain, b.mark)
	if err != nil {
		return err
	}
	return b.savePostings(tx, current)
}

// portalWord is a word of a portal's records.
type portalWord struct {
	portal int64
	word   string
}

func (w portalWord) compare(other portalWord) int {
	return cmp.Or(cmp.Compare(w.portal, other.portal), strings.Compare(w.word, other.word))
}
