package crm

import (
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// linkCount is the number of links of one type that a record has, and the first
// linked record.
type linkCount struct {
	count int
	one   int64
}

// countLinks returns the links of records of one object type, by record and
// association type.
func countLinks(tx *store.Tx, portal int64, t Type, records []int64) (map[int64]map[int64]linkCount, error) {
	out := map[int64]map[int64]linkCount{}
	if len(records) == 0 {
		return out, nil
	}
	args := append(store.Arguments([]any{portal}, records), t)
	err := tx.Each(`SELECT from_record, type_id, COUNT(*), MIN(to_record) FROM crm_association
		WHERE portal = ? AND from_record IN `+store.In(len(records))+` AND from_type = ? GROUP BY from_record, type_id`, args, func(r store.Row) error {
		var record, typeID int64
		var n linkCount
		err := r.Scan(&record, &typeID, &n.count, &n.one)
		if out[record] == nil {
			out[record] = map[int64]linkCount{}
		}
		out[record][typeID] = n
		return err
	})
	return out, err
}

// linked returns the FROM clause for the associations a of records with live records r
// of a type, with its arguments; typeID 0 is for all types of association. On
// PostgreSQL each record is looked up: of tables that grew since the last ANALYZE the
// planner expects so few rows that it reads all of them for each association.
func linked(tx *store.Tx, portal int64, records []int64, to Type, typeID int64) (from string, args []any) {
	only, types := "", []any{to}
	if typeID != 0 {
		only, types = " AND type_id = ?", append(types, typeID)
	}
	if tx.Dialect() == store.PostgreSQL {
		return ` FROM (SELECT DISTINCT unnest(CAST(? AS BIGINT[])) id) f
			CROSS JOIN LATERAL (SELECT from_record, to_record FROM crm_association WHERE portal = ? AND from_record = f.id AND to_type = ?` + only + ` OFFSET 0) a
			CROSS JOIN LATERAL (SELECT id, created, properties FROM crm_record WHERE portal = ? AND type = ? AND id = a.to_record AND archived = 0 OFFSET 0) r`,
			slices.Concat([]any{records, portal}, types, []any{portal, to})
	}
	return ` FROM crm_association a CROSS JOIN crm_record r WHERE a.portal = ? AND from_record IN ` + store.In(len(records)) + ` AND to_type = ?` + only + `
		AND r.portal = a.portal AND r.type = a.to_type AND r.id = a.to_record AND r.archived = 0`,
		append(store.Arguments([]any{portal}, records), types...)
}

// firstCreated returns the creation time of the earliest linked live record of a
// type, in microseconds, by record. It leaves out records without one.
func firstCreated(tx *store.Tx, portal int64, records []int64, to Type) (map[int64]int64, error) {
	out := map[int64]int64{}
	if len(records) == 0 {
		return out, nil
	}
	from, args := linked(tx, portal, records, to, 0)
	err := tx.Each(`SELECT a.from_record, MIN(r.created)`+from+` GROUP BY a.from_record`, args, func(r store.Row) error {
		var record, at int64
		err := r.Scan(&record, &at)
		out[record] = at
		return err
	})
	return out, err
}

// eachLinkedDeal calls f with each record and each live deal linked with it by a
// type; for each record in the order of the deals' ids.
func eachLinkedDeal(tx *store.Tx, portal int64, records []int64, typeID int64, f func(record int64, deal *Record)) error {
	if len(records) == 0 {
		return nil
	}
	from, args := linked(tx, portal, records, Deals, typeID)
	return tx.Each(`SELECT a.from_record, r.id, r.created, r.properties`+from+` ORDER BY a.from_record, r.id`, args, func(row store.Row) error {
		record, r := int64(0), &Record{Record: schema.Record{Type: Deals}}
		err := row.Scan(&record, &r.ID, &r.Created, (*string)(&r.Bag))
		f(record, r)
		return err
	})
}
