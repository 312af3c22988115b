package crm

import (
	"slices"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

const recordColumns = `id, created, updated, archived, merged, source, source_id, properties`

func scanRecord(row store.Row, t Type) (*Record, error) {
	r := &Record{Record: schema.Record{Type: t}}
	err := row.Scan(&r.ID, &r.Created, &r.Updated, &r.Archived, &r.Merged, &r.Source, &r.SourceID, (*string)(&r.Bag))
	return r, err
}

// copies reports whether to insert rows with COPY. It costs a round trip more and
// pays from 200 rows on, only on PostgreSQL.
func copies(tx *store.Tx, rows int) bool { return tx.Dialect().Name == "postgres" && rows >= 200 }

var (
	recordTable = []string{"portal", "type", "id", "created", "updated", "archived", "merged", "source", "source_id", "properties"}
	valueTable  = []string{"portal", "property", "value", "record"}
)

func insertRecords(tx *store.Tx, portal int64, records []*Record) error {
	rows := make([][]any, len(records))
	if copies(tx, len(records)) {
		for i, r := range records {
			rows[i] = []any{portal, r.Type, r.ID, r.Created, r.Updated, int64(0), int64(0), r.Source, r.SourceID, string(r.Bag)}
		}
		return tx.CopyFrom("crm_record", recordTable, rows)
	}
	for i, r := range records {
		rows[i] = []any{portal, r.Type, r.ID, r.Created, r.Updated, r.Source, r.SourceID, string(r.Bag)}
	}
	return tx.ExecBatch(`INSERT INTO crm_record (portal, type, id, created, updated, archived, merged, source, source_id, properties)
		VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?)`, rows)
}

func updateRecords(tx *store.Tx, portal int64, records []*Record) error {
	rows := make([][]any, len(records))
	for i, r := range records {
		rows[i] = []any{r.Created, r.Updated, r.Archived, r.Merged, string(r.Bag), portal, r.Type, r.ID}
	}
	return tx.ExecBatch(`UPDATE crm_record SET created = ?, updated = ?, archived = ?, merged = ?, properties = ?
		WHERE portal = ? AND type = ? AND id = ?`, rows)
}

func deleteRecord(tx *store.Tx, portal int64, t Type, id int64) error {
	if _, err := tx.Exec(`DELETE FROM crm_record WHERE portal = ? AND type = ? AND id = ?`, portal, t, id); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM crm_revision WHERE portal = ? AND record = ?`, portal, id)
	return err
}

// getRecords returns the existing records, archived or not, by id.
func getRecords(tx *store.Tx, portal int64, t Type, ids []int64, lock bool) (map[int64]*Record, error) {
	return getRecordsWith(tx, portal, t, ids, lock, func(*Record) error { return nil })
}

// getRecordsWith is getRecords, calling count with each record as it is read. It
// stops at an error of count and returns it.
func getRecordsWith(tx *store.Tx, portal int64, t Type, ids []int64, lock bool, count func(*Record) error) (map[int64]*Record, error) {
	out := make(map[int64]*Record, len(ids))
	ids = slices.Clone(ids)
	slices.Sort(ids) // locks are taken in the order of ids
	suffix := ""
	if lock {
		suffix = tx.Dialect().ForUpdate
	}
	for chunk := range slices.Chunk(slices.Compact(ids), 100) {
		args := store.Arguments([]any{portal, t}, chunk)
		err := tx.Each(`SELECT `+recordColumns+` FROM crm_record WHERE portal = ? AND type = ? AND id IN `+store.In(len(chunk))+
			` ORDER BY id`+suffix, args, func(row store.Row) error {
			r, err := scanRecord(row, t)
			if err != nil {
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

// listRecords returns records in the order of ids, after an id, at most limit or
// until the page is full, and whether more follow.
func listRecords(tx *store.Tx, portal int64, t Type, archived bool, after int64, limit int, page *budget.Page) (out []*Record, more bool, err error) {
	condition := `archived = 0`
	if archived {
		condition = `archived <> 0 AND merged = 0`
	}
	err = tx.Each(`SELECT `+recordColumns+` FROM crm_record WHERE portal = ? AND type = ? AND id > ? AND `+condition+`
		ORDER BY id LIMIT ?`, []any{portal, t, after, limit + 1}, func(row store.Row) error {
		if more = len(out) == limit || page.Full(); more {
			return store.Stop()
		}
		r, err := scanRecord(row, t)
		if err != nil {
			return err
		}
		out = append(out, r)
		return page.Add(len(r.Bag))
	})
	return out, more, err
}

type target struct {
	t  Type
	id int64
}

// liveTargets returns the targets that are live, with the survivor in place of a
// merged record. With lock it locks them until the end of the transaction. It
// locks only survivors: a merge locks the survivor before it changes the records
// merged into it.
func liveTargets(tx *store.Tx, portal int64, targets []target, lock bool) (map[target]int64, error) {
	for {
		out, err := followTargets(tx, portal, targets)
		if err != nil || !lock || tx.Dialect().ForUpdate == "" {
			return out, err
		}
		var survivors []target
		for t, id := range out {
			survivors = append(survivors, target{t.t, id})
		}
		held := map[target]int64{}
		if err := addLeads(tx, portal, survivors, true, held); err != nil {
			return nil, err
		}
		merged := false
		for t, id := range out {
			switch held[target{t.t, id}] {
			case id:
			case 0: // archived or erased while waiting for the lock
				delete(out, t)
			default:
				merged = true
			}
		}
		if !merged {
			return out, nil
		}
	}
}

func followTargets(tx *store.Tx, portal int64, targets []target) (map[target]int64, error) {
	leads := map[target]int64{} // the survivor's target, itself, or 0 if archived
	for ask := targets; len(ask) > 0; {
		if err := addLeads(tx, portal, ask, false, leads); err != nil {
			return nil, err
		}
		var next []target
		for _, t := range ask {
			id := leads[t]
			if _, known := leads[target{t.t, id}]; id != 0 && !known {
				next = append(next, target{t.t, id})
			}
		}
		ask = next
	}
	out := map[target]int64{}
	for _, t := range targets {
		at := t
		for leads[at] != 0 && leads[at] != at.id {
			at.id = leads[at]
		}
		if leads[at] != 0 {
			out[t] = at.id
		}
	}
	return out, nil
}

func addLeads(tx *store.Tx, portal int64, targets []target, lock bool, leads map[target]int64) error {
	suffix := ""
	if lock {
		suffix = tx.Dialect().ForUpdate
	}
	for _, t := range Types { // locks are taken in one order
		var ids []int64
		for _, one := range targets {
			if one.t == t {
				ids = append(ids, one.id)
			}
		}
		slices.Sort(ids)
		for chunk := range slices.Chunk(slices.Compact(ids), 100) {
			args := []any{portal, t}
			for _, id := range chunk {
				args = append(args, id)
			}
			err := tx.Each(`SELECT id, archived, merged FROM crm_record WHERE portal = ? AND type = ? AND id IN `+store.In(len(chunk))+
				` ORDER BY id`+suffix, args, func(row store.Row) error {
				var id, archived, merged int64
				err := row.Scan(&id, &archived, &merged)
				switch {
				case merged != 0:
					leads[target{t, id}] = merged
				case archived == 0:
					leads[target{t, id}] = id
				default:
					leads[target{t, id}] = 0
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// valueChunk is how many rows one statement inserts on SQLite: few different
// statements, few calls.
const valueChunk = 50

func insertValues(tx *store.Tx, portal int64, rows []valueRow) error {
	slices.SortFunc(rows, compareRows) // so that neighbouring rows are inserted together
	rows = slices.Compact(rows)
	known, kept := store.Kept[*knownHolders](tx, propertyOf{})
	if err := storeValues(tx, portal, rows); err != nil || !kept {
		return err
	}
	known.add(portal, rows)
	store.Keep(tx, propertyOf{}, known, "crm_value")
	return nil
}

func storeValues(tx *store.Tx, portal int64, rows []valueRow) error {
	if copies(tx, len(rows)) {
		all := make([][]any, len(rows))
		for i, r := range rows {
			all[i] = []any{portal, r.property, r.key, r.record}
		}
		return tx.CopyFrom("crm_value", valueTable, all)
	}
	for tx.Dialect().Name != "postgres" && len(rows) >= valueChunk {
		args := make([]any, 0, 4*valueChunk)
		for _, r := range rows[:valueChunk] {
			args = append(args, portal, r.property, r.key, r.record)
		}
		if _, err := tx.Exec(insertValueChunk, args...); err != nil {
			return err
		}
		rows = rows[valueChunk:]
	}
	rest := make([][]any, len(rows))
	for i, r := range rows {
		rest[i] = []any{portal, r.property, r.key, r.record}
	}
	return tx.ExecBatch(insertValue, rest)
}

const insertValue = `INSERT INTO crm_value (portal, property, value, record) VALUES (?, ?, ?, ?)`

var insertValueChunk = insertValue + strings.Repeat(`, (?, ?, ?, ?)`, valueChunk-1)

func deleteValues(tx *store.Tx, portal int64, rows []valueRow) error {
	slices.SortFunc(rows, compareRows)
	batch := make([][]any, len(rows))
	for i, r := range rows {
		batch[i] = []any{portal, r.property, r.key, r.record}
	}
	return tx.ExecBatch(`DELETE FROM crm_value WHERE portal = ? AND property = ? AND value = ? AND record = ?`, batch)
}

// holdersOf returns a record for each key that is a value of the properties,
// preferring earlier properties. On PostgreSQL it looks up each key separately:
// without statistics of the table, IN may read all values of the property.
func holdersOf(tx *store.Tx, portal int64, properties []int64, keys []string) (map[string]int64, error) {
	out, by := map[string]int64{}, map[string]int{}
	add := func(row store.Row) error {
		var k string
		var property, id int64
		if err := row.Scan(&k, &property, &id); err != nil {
			return err
		}
		place := slices.Index(properties, property)
		if earlier, ok := by[k]; !ok || place <= earlier {
			out[k], by[k] = id, place
		}
		return nil
	}
	if tx.Dialect().Name == "postgres" {
		return out, tx.Each(`SELECT k, p, v.record FROM unnest(CAST(? AS TEXT[])) k CROSS JOIN unnest(CAST(? AS BIGINT[])) p CROSS JOIN LATERAL
			(SELECT record FROM crm_value WHERE portal = ? AND property = p AND value = k COLLATE "C" LIMIT 1) v`, []any{keys, properties, portal}, add)
	}
	for chunk := range slices.Chunk(keys, 100) {
		args := []any{portal}
		for _, p := range properties {
			args = append(args, p)
		}
		for _, k := range chunk {
			args = append(args, k)
		}
		err := tx.Each(`SELECT value, property, record FROM crm_value WHERE portal = ? AND property IN `+store.In(len(properties))+` AND value IN `+store.In(len(chunk)), args, add)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
