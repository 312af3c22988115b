package diff

import (
	"strings"

	"understudy/internal/platform/store"
)

// maxIn is how many rows one statement picks.
const maxIn = 500

// begin reads once in a transaction, which fixes the moment that it sees.
func begin(tx *store.Tx) error {
	var n int64
	_, err := tx.Get(`SELECT COUNT(*) FROM `+tx.Dialect().Pick("sqlite_master", "pg_class WHERE FALSE"), nil, &n)
	return err
}

// selectAfter returns a batch of rows in the order of their key; after nil, the first.
func selectAfter(tx *store.Tx, e *Entity, columns []string, after []any) ([][]any, error) {
	sql := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + e.Table
	args := []any{}
	if after != nil {
		sql += ` WHERE (` + strings.Join(e.Key, ", ") + `) > ` + store.In(len(after))
		args = append(args, after...)
	}
	return selectRows(tx, sql+` ORDER BY `+strings.Join(e.Key, ", ")+` LIMIT ?`, append(args, batchRows), len(columns))
}

// selectPicked returns rows by SQLite's own numbers of them.
func selectPicked(tx *store.Tx, e *Entity, columns []string, rows []int64) (out [][]any, err error) {
	for len(rows) > 0 {
		n := min(len(rows), maxIn)
		args := make([]any, maxIn) // the last repeated: one statement serves all
		for i := range args {
			args[i] = rows[min(i, n-1)]
		}
		found, err := selectRows(tx, `SELECT `+strings.Join(columns, ", ")+` FROM `+e.Table+` WHERE rowid IN `+store.In(maxIn), args, len(columns))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
		rows = rows[n:]
	}
	return out, nil
}

func selectRows(tx *store.Tx, sql string, args []any, columns int) (out [][]any, err error) {
	places := make([]any, columns)
	err = tx.Each(sql, args, func(r store.Row) error {
		values := make([]any, columns)
		for i := range values {
			places[i] = &values[i]
		}
		out = append(out, values)
		return r.Scan(places...)
	})
	return out, err
}
