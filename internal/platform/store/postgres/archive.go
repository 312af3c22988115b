package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// An archived copy is cheap to make, because creating a table takes far longer
// than copying a few rows. It has a table for each large table of its original;
// the rows of all others are in one table, as texts. Reads use views with the
// names of the original tables; for tables without rows these show the
// template's.

// archivedMark follows the digest in the comment on an archived copy. It and
// packedRows are stored in databases and must not change.
const archivedMark = " thin"

// packedRows is the table with the rows of small tables.
const packedRows = "thin_rows"

// small is the largest size, in bytes, of a table that is packed.
const small = 256 << 10

// rows describes which tables of a schema have rows.
type rows struct {
	sizes  map[string]int64 // of tables that have rows, in bytes
	packed map[string]bool
}

// archive makes an archived copy.
func (l *layout) archive(b *strings.Builder, to, from string, has rows) {
	fmt.Fprintf(b, "DROP SCHEMA IF EXISTS %[1]s CASCADE;\nCREATE SCHEMA %[1]s;\nCREATE TABLE %[1]s.%[2]s (name TEXT NOT NULL, packed TEXT NOT NULL);\n", to, packedRows)
	if has.packed != nil {
		fmt.Fprintf(b, "INSERT INTO %[1]s.%[2]s SELECT * FROM %[3]s.%[2]s;\n", to, packedRows, from)
	}
	for _, t := range l.tables {
		switch size := has.sizes[t.name]; {
		case size > small:
			t.make(b, to, l.template)
			t.insert(b, to, from, nil)
		case size > 0:
			fmt.Fprintf(b, "INSERT INTO %s.%s SELECT '%s', r::text FROM %s.%[3]s r;\n", to, packedRows, t.name, from)
		}
	}
	b.WriteString(commentOn(to, l.digest+archivedMark))
}

// unpack writes a SELECT of a table's rows from the packed rows of an archived
// copy.
func (t layoutTable) unpack(b *strings.Builder, from string, l *layout) {
	b.WriteString("SELECT ")
	for i, column := range strings.Split(t.columns, ", ") {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "(r).%[1]s AS %[1]s", column)
	}
	// OFFSET prevents reading a row once for each of its columns.
	fmt.Fprintf(b, " FROM (SELECT packed::%s.%s AS r FROM %s.%s WHERE name = '%[2]s' OFFSET 0) p", l.template, t.name, from, packedRows)
}

// show creates the views for reading an archived copy, unless they exist.
func (l *layout) show(ctx context.Context, conn *pgx.Conn, schema string) error {
	unlock, err := lockName(ctx, conn, schema)
	if err != nil {
		return err
	}
	defer unlock()
	var shown bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'v')", schema).Scan(&shown)
	if err != nil || shown {
		return err
	}
	has, err := rowsIn(ctx, conn, schema)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, t := range l.tables {
		if has.packed[t.name] || t.filled && has.sizes[t.name] == 0 { // the template's row may have been deleted
			fmt.Fprintf(&b, "CREATE VIEW %s.%s AS ", schema, t.name)
			t.unpack(&b, schema, l)
			b.WriteString(";\n")
		}
	}
	return run(ctx, conn, b.String())
}

// rowsIn returns which tables of a schema, archived or not, have rows.
func rowsIn(ctx context.Context, conn *pgx.Conn, schema string) (rows, error) {
	has := rows{sizes: map[string]int64{}}
	sizes, err := tableSizes(ctx, conn, schema)
	if err != nil {
		return has, err
	}
	_, isArchived := sizes[packedRows]
	delete(sizes, packedRows)
	var asks []string
	for table, size := range sizes {
		if size > 0 {
			asks = append(asks, "SELECT '"+table+"', FALSE WHERE EXISTS (SELECT FROM "+schema+"."+table+")")
		}
	}
	if isArchived {
		has.packed = map[string]bool{}
		asks = append(asks, "SELECT DISTINCT name, TRUE FROM "+schema+"."+packedRows)
	}
	if len(asks) == 0 {
		return has, nil
	}
	found, err := conn.Query(ctx, strings.Join(asks, " UNION ALL "), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return has, err
	}
	var table string
	var packed bool
	_, err = pgx.ForEachRow(found, []any{&table, &packed}, func() error {
		if packed {
			has.packed[table] = true
		} else {
			has.sizes[table] = sizes[table]
		}
		return nil
	})
	return has, err
}
