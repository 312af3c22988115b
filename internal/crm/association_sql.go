package crm

import "understudy/internal/platform/store"

func insertLinks(tx *store.Tx, portal int64, links []link) error {
	rows := make([][]any, len(links))
	for i, l := range links {
		rows[i] = []any{portal, l.fromID, l.to, l.toID, l.typeID, l.from}
	}
	return tx.ExecBatch(`INSERT INTO crm_association (portal, from_record, to_type, to_record, type_id, from_type)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, rows)
}

func deleteLinks(tx *store.Tx, portal int64, links []link) error {
	rows := make([][]any, len(links))
	for i, l := range links {
		rows[i] = []any{portal, l.fromID, l.to, l.toID, l.typeID}
	}
	return tx.ExecBatch(`DELETE FROM crm_association WHERE portal = ? AND from_record = ? AND to_type = ? AND to_record = ? AND type_id = ?`, rows)
}

const linkColumns = `from_type, from_record, to_type, to_record, type_id`

func collectLinks(tx *store.Tx, sql string, args ...any) (out []link, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		var l link
		err := r.Scan(&l.from, &l.fromID, &l.to, &l.toID, &l.typeID)
		out = append(out, l)
		return err
	})
	return out, err
}

// listLinks returns the links of a record to the first n records of a type after
// an id.
func listLinks(tx *store.Tx, portal, record int64, to Type, after int64, n int) ([]link, error) {
	return collectLinks(tx, `SELECT `+linkColumns+` FROM crm_association
		WHERE portal = ? AND from_record = ? AND to_type = ? AND to_record IN (
			SELECT DISTINCT to_record FROM crm_association
			WHERE portal = ? AND from_record = ? AND to_type = ? AND to_record > ? ORDER BY to_record LIMIT ?)
		ORDER BY to_record, type_id`, portal, record, to, portal, record, to, after, n)
}

func listLinksOfType(tx *store.Tx, portal, record int64, to Type, typeID int64) ([]link, error) {
	return collectLinks(tx, `SELECT `+linkColumns+` FROM crm_association
		WHERE portal = ? AND from_record = ? AND to_type = ? AND type_id = ?`, portal, record, to, typeID)
}

// listPrimaryLinks returns the links of records to their primary companies;
// typeID is the type of such links.
func listPrimaryLinks(tx *store.Tx, portal int64, records []int64, typeID int64) ([]link, error) {
	return collectLinks(tx, `SELECT `+linkColumns+` FROM crm_association
		WHERE portal = ? AND from_record IN `+store.In(len(records))+` AND to_type = ? AND type_id = ?
		ORDER BY from_record, to_record`, append(store.Arguments([]any{portal}, records), Companies, typeID)...)
}

func listAllLinks(tx *store.Tx, portal int64, from Type, record int64) ([]link, error) {
	return collectLinks(tx, `SELECT `+linkColumns+` FROM crm_association WHERE portal = ? AND from_record = ? AND from_type = ?
		ORDER BY to_type, to_record, type_id`, portal, record, from)
}

// removeAllLinks removes all links of a record, in both directions, and returns
// those from the record.
func removeAllLinks(tx *store.Tx, portal int64, t Type, record int64) ([]link, error) {
	links, err := listAllLinks(tx, portal, t, record)
	if err != nil {
		return nil, err
	}
	ended := links
	for _, l := range links {
		links = append(links, l.inverse())
	}
	return ended, deleteLinks(tx, portal, links)
}
