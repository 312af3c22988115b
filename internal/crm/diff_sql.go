package crm

import (
	"strconv"

	"understudy/internal/platform/store"
)

// maxNamed is the most records that one name can match.
const maxNamed = 100

// recordsOfID returns the id in text if it is that of a live record of a type; 0
// means any type.
func recordsOfID(tx *store.Tx, t Type, text string) ([]any, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, nil
	}
	return recordIDs(tx, `SELECT DISTINCT id FROM crm_record WHERE id = ? AND (type = ? OR ? = 0) AND archived = 0`, id, t, t)
}

// recordsOfValue returns the ids of the live records of a type with a value,
// given its key in the value table.
func recordsOfValue(tx *store.Tx, t Type, property int64, key string) ([]any, error) {
	return recordIDs(tx, `SELECT r.id FROM crm_value v JOIN crm_record r ON r.portal = v.portal AND r.type = ? AND r.id = v.record
		WHERE v.property = ? AND v.value = ? AND r.archived = 0 ORDER BY r.id LIMIT ?`, t, property, key, maxNamed)
}

func recordIDs(tx *store.Tx, sql string, args ...any) (found []any, err error) {
	return found, tx.Each(sql, args, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		found = append(found, id)
		return err
	})
}

// portalDefining returns the portal that has defined a property of a type; 0 for
// none.
func portalDefining(tx *store.Tx, t Type, name string) (portal int64, err error) {
	_, err = tx.Get(`SELECT portal FROM crm_property WHERE type = ? AND name = ? AND archived = 0`, []any{t, name}, &portal)
	return portal, err
}

// definesProperty reports whether a portal has defined a property of a type.
func definesProperty(tx *store.Tx, t Type, name string) (bool, error) {
	var n int64
	_, err := tx.Get(`SELECT COUNT(*) FROM crm_property WHERE type = ? AND name = ? AND archived = 0`, []any{t, name}, &n)
	return n > 0, err
}
