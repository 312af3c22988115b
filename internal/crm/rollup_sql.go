package crm

import (
	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// linkCount is how many records a record is linked with by one type, and the first of them.
type linkCount struct {
	count int
	one   int64
}

// countLinks returns the links of a record by association type.
func countLinks(tx *store.Tx, portal int64, t Type, record int64) (map[int64]linkCount, error) {
	out := map[int64]linkCount{}
	err := tx.Each(`SELECT type_id, COUNT(*), MIN(to_record) FROM crm_association WHERE portal = ? AND from_record = ? AND from_type = ? GROUP BY type_id`,
		[]any{portal, record, t}, func(r store.Row) error {
			var typeID int64
			var n linkCount
			err := r.Scan(&typeID, &n.count, &n.one)
			out[typeID] = n
			return err
		})
	return out, err
}

// firstCreated returns when the first of a record's linked records of a type was made, in microseconds; 0 for none.
func firstCreated(tx *store.Tx, portal, record int64, to Type) (at int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(r.created), 0) FROM crm_association a CROSS JOIN crm_record r
		WHERE a.portal = ? AND a.from_record = ? AND a.to_type = ? AND r.portal = a.portal AND r.type = a.to_type AND r.id = a.to_record AND r.archived = 0`,
		[]any{portal, record, to}, &at)
	return at, err
}

// eachLinkedDeal calls f with each live deal that a record is linked with by a type.
func eachLinkedDeal(tx *store.Tx, portal, record, typeID int64, f func(*Record)) error {
	return tx.Each(`SELECT r.id, r.created, r.properties FROM crm_association a CROSS JOIN crm_record r
		WHERE a.portal = ? AND a.from_record = ? AND a.to_type = ? AND a.type_id = ? AND r.portal = a.portal AND r.type = a.to_type AND r.id = a.to_record AND r.archived = 0
		ORDER BY r.id`, []any{portal, record, Deals, typeID}, func(row store.Row) error {
		r := &Record{Record: schema.Record{Type: Deals}}
		err := row.Scan(&r.ID, &r.Created, (*string)(&r.Bag))
		f(r)
		return err
	})
}
