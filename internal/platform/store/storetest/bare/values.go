package bare

import (
	"context"
	"fmt"
)

// The tables of a database, quoted.
const (
	sqliteTables   = `SELECT '"' || name || '"' FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`
	postgresTables = `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
)

// EachValue calls fn with every text and blob of every table, and its table and
// column.
func (d *DB) EachValue(ctx context.Context, fn func(place string, value []byte)) error {
	sql := sqliteTables
	if d.copy {
		sql = postgresTables
	}
	var tables []string
	err := d.each(ctx, sql, func(_ []string, values []any) { tables = append(tables, values[0].(string)) })
	for _, table := range tables {
		if err != nil {
			break
		}
		err = d.each(ctx, `SELECT * FROM `+table, func(columns []string, values []any) {
			for i, v := range values {
				switch v := v.(type) {
				case string:
					fn(table+"."+columns[i], []byte(v))
				case []byte:
					fn(table+"."+columns[i], v)
				}
			}
		})
		if err != nil {
			err = fmt.Errorf("%s: %w", table, err)
		}
	}
	return err
}

func (d *DB) each(ctx context.Context, sql string, fn func(columns []string, values []any)) error {
	rows, err := d.conn.QueryContext(ctx, sql)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		fn(columns, values)
	}
	return rows.Err()
}
