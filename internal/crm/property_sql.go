package crm

import (
	"encoding/json"

	"understudy/internal/platform/store"
)

func saveProperty(tx *store.Tx, portal int64, p *Property) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO crm_property (portal, type, name, number, definition, created, updated, archived)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (portal, type, name) DO UPDATE SET definition = excluded.definition, created = excluded.created,
			updated = excluded.updated, archived = excluded.archived`,
		portal, p.Object, p.Name, p.Number, text, p.CreatedAt, p.UpdatedAt, p.ArchivedAt)
	return err
}

func valueRecords(tx *store.Tx, portal, property int64) (out []int64, err error) {
	err = tx.Each(`SELECT DISTINCT record FROM crm_value WHERE portal = ? AND property = ?`, []any{portal, property}, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// sharedValue reports whether several records have the same value of a property.
func sharedValue(tx *store.Tx, portal, property int64) (bool, error) {
	var n int
	return tx.Get(`SELECT COUNT(*) FROM crm_value WHERE portal = ? AND property = ? GROUP BY value HAVING COUNT(*) > 1 LIMIT 1`,
		[]any{portal, property}, &n)
}

func deletePropertyValues(tx *store.Tx, portal, property int64) error {
	_, err := tx.Exec(`DELETE FROM crm_value WHERE portal = ? AND property = ?`, portal, property)
	return err
}

func saveGroup(tx *store.Tx, portal int64, t Type, g Group) error {
	_, err := tx.Exec(`INSERT INTO crm_group (portal, type, name, label, display_order, archived) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (portal, type, name) DO UPDATE SET label = excluded.label, display_order = excluded.display_order, archived = excluded.archived`,
		portal, t, g.Name, g.Label, g.DisplayOrder, g.ArchivedAt)
	return err
}
