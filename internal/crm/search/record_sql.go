package search

import (
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

const recordColumns = `r.id, r.created, r.updated, r.archived, r.merged, r.source, r.source_id, r.properties`

// columnsOf returns the scan destinations for recordColumns.
func columnsOf(r *schema.Record) []any {
	return []any{&r.ID, &r.Created, &r.Updated, &r.Archived, &r.Merged, &r.Source, &r.SourceID, (*string)(&r.Bag)}
}

// readRecords returns the existing records, archived or not, by id.
func readRecords(tx *store.Tx, f *Fields, ids []int64) (map[int64]*schema.Record, error) {
	return readRecordsWith(tx, f, ids, func(*schema.Record) error { return nil })
}

// readRecordsWith is readRecords, calling count with each record as it is read.
// It stops at an error of count and returns it.
func readRecordsWith(tx *store.Tx, f *Fields, ids []int64, count func(*schema.Record) error) (map[int64]*schema.Record, error) {
	out := make(map[int64]*schema.Record, len(ids))
	for chunk := range slices.Chunk(ids, 100) {
		statement, args := recordsByID(tx, f, chunk)
		err := tx.Each(statement, args, func(row store.Row) error {
			r := &schema.Record{Type: f.Type}
			if err := row.Scan(columnsOf(r)...); err != nil {
				return err
			}
			out[r.ID] = r
			return count(r)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// recordsByID returns the statement that reads the records with some ids. On
// PostgreSQL each is looked up: of a table that grew since the last ANALYZE the
// planner expects so few records of a type that it reads them all.
func recordsByID(tx *store.Tx, f *Fields, ids []int64) (statement string, args []any) {
	if tx.Dialect() == store.PostgreSQL {
		return `SELECT ` + recordColumns + ` FROM (SELECT DISTINCT unnest(CAST(? AS BIGINT[])) id) i CROSS JOIN LATERAL
			(SELECT * FROM crm_record WHERE portal = ? AND type = ? AND id = i.id OFFSET 0) r`, []any{ids, f.Portal, f.Type}
	}
	return `SELECT ` + recordColumns + ` FROM crm_record r WHERE r.portal = ? AND r.type = ? AND r.id IN ` + store.In(len(ids)),
		store.Arguments([]any{f.Portal, f.Type}, ids)
}

// survivorOf returns the record into which another was merged, or the record
// itself.
func survivorOf(tx *store.Tx, portal int64, t schema.Type, id int64) (int64, error) {
	for {
		var merged int64
		if _, err := tx.Get(`SELECT merged FROM crm_record WHERE portal = ? AND type = ? AND id = ?`, []any{portal, t, id}, &merged); err != nil || merged == 0 {
			return id, err
		}
		id = merged
	}
}

// countAll returns the number of live records.
func countAll(tx *store.Tx, f *Fields) (n int, err error) {
	_, err = tx.Get(`SELECT live FROM crm_tally WHERE portal = ? AND type = ?`, []any{f.Portal, f.Type}, &n)
	return n, err
}
