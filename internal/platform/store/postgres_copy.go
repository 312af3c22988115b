package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Copy copies a schema with all that is in it, in one transaction.
func (s *postgresStore) Copy(ctx context.Context, from, to string) error {
	if !worldName.MatchString(from) || !worldName.MatchString(to) {
		return fmt.Errorf("bad world name %q or %q", from, to)
	}
	from, to = worldPrefix+from, worldPrefix+to
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		tables, err := copiedColumns(ctx, tx, from)
		if err != nil {
			return err
		}
		if len(tables) == 0 {
			return ErrNoWorld
		}
		var b strings.Builder
		fmt.Fprintf(&b, "DROP SCHEMA IF EXISTS %s CASCADE; CREATE SCHEMA %s;\n", to, to)
		for table, columns := range tables {
			list := strings.Join(columns, ", ")
			fmt.Fprintf(&b, "CREATE TABLE %s.%s (LIKE %s.%s INCLUDING ALL);\nINSERT INTO %s.%s (%s) SELECT %s FROM %s.%s;\n",
				to, table, from, table, to, table, list, list, from, table)
		}
		if _, err := tx.Conn().PgConn().Exec(ctx, b.String()).ReadAll(); err != nil {
			return err
		}
		if err := copyIdentities(ctx, tx, to); err != nil {
			return err
		}
		var comment *string
		if err := tx.QueryRow(ctx, "SELECT obj_description($1::regnamespace, 'pg_namespace')", from).Scan(&comment); err != nil || comment == nil {
			return err
		}
		_, err = tx.Exec(ctx, "COMMENT ON SCHEMA "+to+" IS '"+*comment+"'")
		return err
	})
}

// copiedColumns gives, for each table, the columns that are not computed by the database.
func copiedColumns(ctx context.Context, tx pgx.Tx, schema string) (map[string][]string, error) {
	rows, err := tx.Query(ctx, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = $1 AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position`, schema)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		out[table] = append(out[table], column)
		return nil
	})
	return out, err
}

// copyIdentities lets generated keys go on after those that were copied.
func copyIdentities(ctx context.Context, tx pgx.Tx, schema string) error {
	rows, err := tx.Query(ctx, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = $1 AND is_identity = 'YES'`, schema)
	if err != nil {
		return err
	}
	var statements []string
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		statements = append(statements, fmt.Sprintf(
			"SELECT setval(pg_get_serial_sequence('%[1]s.%[2]s', '%[3]s'), COALESCE((SELECT MAX(%[3]s) FROM %[1]s.%[2]s), 0) + 1, false)",
			schema, table, column))
		return nil
	})
	for _, sql := range statements {
		if err == nil {
			_, err = tx.Exec(ctx, sql)
		}
	}
	return err
}
