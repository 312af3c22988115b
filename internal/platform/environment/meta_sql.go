package environment

import (
	"strings"

	"understudy/internal/platform/store"
)

// getMeta returns the metadata of a world, except the long and seldom used result
// of seed documents.
func getMeta(tx *store.Tx) (map[string]string, error) {
	meta := map[string]string{}
	err := tx.Each(`SELECT name, value FROM env_meta WHERE name <> ?`, []any{madeKey}, func(r store.Row) error {
		var name, value string
		if err := r.Scan(&name, &value); err != nil {
			return err
		}
		meta[name] = value
		return nil
	})
	return meta, err
}

// getMade returns the text of what documents created, "" for nothing.
func getMade(tx *store.Tx) (text string, err error) {
	_, err = tx.Get(`SELECT value FROM env_meta WHERE name = ?`, []any{madeKey}, &text)
	return text, err
}

func setMeta(tx *store.Tx, meta map[string]string) error {
	for name, value := range meta {
		_, err := tx.Exec(`INSERT INTO env_meta (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
		if err != nil {
			return err
		}
	}
	return nil
}

// emptyTables deletes all rows of some tables. Most are empty, and one statement
// finds those that are not: preparing a DELETE for each would take longer.
func emptyTables(tx *store.Tx, tables []string) error {
	var question strings.Builder
	for i, table := range tables {
		if i > 0 {
			question.WriteString(` UNION ALL `)
		}
		question.WriteString(`SELECT '` + table + `' WHERE EXISTS (SELECT 1 FROM ` + table + `)`)
	}
	var full []string
	err := tx.Each(question.String(), nil, func(r store.Row) error {
		var table string
		err := r.Scan(&table)
		full = append(full, table)
		return err
	})
	for _, table := range full {
		if err == nil {
			err = emptyTable(tx, table)
		}
	}
	return err
}

func emptyTable(tx *store.Tx, table string) error {
	_, err := tx.Exec(`DELETE FROM ` + table)
	return err
}
