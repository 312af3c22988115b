package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"understudy/internal/platform/store"
)

// layout describes the tables of the worlds with one list of migrations. Its template
// is a schema that is not a world: it contains exactly what the migrations create.
type layout struct {
	digest     string
	template   string
	tables     []layoutTable
	identities [][2]string  // table and column of each generated key
	blank      *store.World // the template, for reading only
}

type layoutTable struct {
	name    string
	columns string   // without the columns that the database computes
	indexes []string // the statements that create the indexes
	filled  bool     // the migrations insert rows into the table
}

// Blank implements store.Store. The world is the template for schemas.
func (s *Store) Blank(ctx context.Context, schemas []store.Schema) (*store.World, error) {
	l, err := s.layoutOf(ctx, s.know(schemas), "")
	if err != nil {
		return nil, classify(err)
	}
	return l.blank, nil
}

// The prefixes of the names of schemas that are not worlds.
const (
	schemaOfTemplate = "understudytemplate_"
	schemaOfSpare    = "understudyspare_"
	schemaAside      = "understudythin_"
)

// layoutOf returns the layout of the worlds whose migrations have a digest. At the
// first use it creates the template, unless the database has it: with the migrations
// or, if another build wrote them, by copying the tables of world. Then world is not
// archived, because the template of an archived copy exists.
func (s *Store) layoutOf(ctx context.Context, digest, world string) (*layout, error) {
	s.layouting.Lock()
	defer s.layouting.Unlock()
	if l := s.layouts[digest]; l != nil {
		return l, nil
	}
	schemas := s.schemas[digest]
	l := &layout{digest: digest, template: schemaOfTemplate + digest}
	l.blank = store.NewWorld(l.template, store.PostgreSQL, s.world(l.template))
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	unlock, err := lockName(ctx, conn.Conn(), l.template)
	if err != nil {
		return nil, err
	}
	defer unlock()
	kind, err := kindOfSchema(ctx, conn.Conn(), l.template)
	missing := errors.Is(err, store.ErrNoWorld)
	switch {
	case err != nil && !missing:
		return nil, err
	case kind == digest:
	case schemas != nil:
		apply := store.Migrate
		if missing {
			apply = store.CreateTables
		}
		if err := s.migrate(ctx, conn.Conn(), l.template, schemas, apply); err != nil {
			return nil, err
		}
	default:
		if err := l.copySchema(ctx, conn.Conn(), world); err != nil {
			return nil, err
		}
	}
	if err := l.look(ctx, conn.Conn()); err != nil {
		return nil, err
	}
	s.layouts[digest] = l
	return l, nil
}

// know stores the migrations of this build and returns their digest.
func (s *Store) know(schemas []store.Schema) string {
	digest := fmt.Sprint(store.Digest(schemas))
	s.layouting.Lock()
	defer s.layouting.Unlock()
	if s.layouts == nil {
		s.layouts, s.schemas = map[string]*layout{}, map[string][]store.Schema{}
	}
	s.schemas[digest] = schemas
	return digest
}

// lockName locks the name of a schema, so that two nodes do not create the schema at
// the same time. The lock belongs to the connection.
func lockName(ctx context.Context, conn *pgx.Conn, schema string) (unlock func(), err error) {
	_, err = conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", schema)
	return func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(hashtext($1))", schema)
	}, err
}

// migrate runs the migrations in a schema, which it creates if it does not exist.
// apply is store.Migrate or, for a schema without tables, store.CreateTables.
func (s *Store) migrate(ctx context.Context, conn *pgx.Conn, schema string, schemas []store.Schema,
	apply func(context.Context, *sql.DB, *store.Dialect, []store.Schema) error) error {
	if _, err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema); err != nil {
		return err
	}
	cfg := s.pool.Config().ConnConfig.Copy()
	cfg.RuntimeParams["search_path"] = schema
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // a migration contains several statements
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }()
	if err := apply(ctx, db, store.PostgreSQL, schemas); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, commentOn(schema, fmt.Sprint(store.Digest(schemas))))
	return err
}

// copySchema creates the template with the tables and indexes of a world. It copies
// only the rows that list the applied migrations. It returns an error if world is "".
func (l *layout) copySchema(ctx context.Context, conn *pgx.Conn, world string) error {
	if world == "" {
		return fmt.Errorf("the schema %s is missing", l.template)
	}
	tables, err := tablesOf(ctx, conn, world)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE SCHEMA %s;\n", l.template)
	for _, t := range tables {
		t.make(&b, l.template, world)
		if isOfMigrations(t.name) {
			t.insert(&b, l.template, world, nil)
		}
	}
	b.WriteString(commentOn(l.template, l.digest))
	return run(ctx, conn, b.String())
}

// look reads the tables of the template, with their indexes and generated keys.
func (l *layout) look(ctx context.Context, conn *pgx.Conn) (err error) {
	if l.tables, err = tablesOf(ctx, conn, l.template); err != nil {
		return err
	}
	sizes, err := tableSizes(ctx, conn, l.template)
	if err != nil {
		return err
	}
	for i, t := range l.tables {
		l.tables[i].filled = sizes[t.name] > 0
	}
	rows, err := conn.Query(ctx, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = $1 AND is_identity = 'YES' ORDER BY 1`, l.template)
	if err != nil {
		return err
	}
	l.identities, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (c [2]string, err error) {
		err = r.Scan(&c[0], &c[1])
		return c, err
	})
	return err
}

// make writes the statements that create a schema with the tables and rows of the
// template.
func (l *layout) make(b *strings.Builder, schema string) {
	fmt.Fprintf(b, "CREATE SCHEMA %s;\n", schema)
	for _, t := range l.tables {
		t.make(b, schema, l.template)
		if t.filled {
			t.insert(b, schema, l.template, nil)
		}
	}
	l.advanceKeys(b, schema)
	b.WriteString(commentOn(schema, l.digest))
}

// make writes the statements that create a table like the one in another schema. LIKE
// alone would choose new names for the indexes, and later migrations would not find
// them.
func (t layoutTable) make(b *strings.Builder, schema, like string) {
	fmt.Fprintf(b, "CREATE TABLE %[1]s.%[2]s (LIKE %[3]s.%[2]s INCLUDING ALL EXCLUDING INDEXES);\n", schema, t.name, like)
	for _, sql := range t.indexes {
		b.WriteString(strings.ReplaceAll(sql, like+".", schema+"."))
		b.WriteString(";\n")
	}
}

// fill writes the statements that replace the rows of a schema with those of another
// schema, which may be archived. had are the sizes of the tables of to, and has
// describes the tables of from: tables of size 0 have no rows.
func (l *layout) fill(b *strings.Builder, to, from string, had map[string]int64, has rows) {
	for _, t := range l.tables {
		if had[t.name] > 0 {
			fmt.Fprintf(b, "DELETE FROM %s.%s;\n", to, t.name)
		}
		switch {
		case has.packed[t.name]:
			t.insert(b, to, from, l)
		case has.sizes[t.name] > 0:
			t.insert(b, to, from, nil)
		}
	}
	l.advanceKeys(b, to)
}

// templateRows returns the tables into which the migrations insert rows, each with a
// size of 1.
func (l *layout) templateRows() map[string]int64 {
	sizes := map[string]int64{}
	for _, t := range l.tables {
		if t.filled {
			sizes[t.name] = 1
		}
	}
	return sizes
}

// advanceKeys writes the statements after which generated keys follow the existing
// ones.
func (l *layout) advanceKeys(b *strings.Builder, schema string) {
	for _, c := range l.identities {
		fmt.Fprintf(b, "SELECT setval(pg_get_serial_sequence('%[1]s.%[2]s', '%[3]s'), COALESCE((SELECT MAX(%[3]s) FROM %[1]s.%[2]s), 0) + 1, false);\n",
			schema, c[0], c[1])
	}
}

// insert writes the statement that copies the table's rows from another schema. If
// packed is not nil, the other schema is archived and has that layout.
func (t layoutTable) insert(b *strings.Builder, to, from string, packed *layout) {
	fmt.Fprintf(b, "INSERT INTO %s.%s (%s) ", to, t.name, t.columns)
	if packed != nil {
		t.unpack(b, from, packed)
	} else {
		fmt.Fprintf(b, "SELECT %s FROM %s.%s", t.columns, from, t.name)
	}
	b.WriteString(";\n")
}

// isOfMigrations reports whether a table lists applied migrations.
func isOfMigrations(table string) bool { return strings.HasPrefix(table, "schema_") }

func tablesOf(ctx context.Context, conn *pgx.Conn, schema string) ([]layoutTable, error) {
	rows, err := conn.Query(ctx, `SELECT c.relname::text, string_agg(a.attname::text, ', ' ORDER BY a.attnum)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' GROUP BY c.relname ORDER BY c.relname`, schema)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t layoutTable, err error) {
		err = r.Scan(&t.name, &t.columns)
		return t, err
	})
	if err != nil {
		return nil, err
	}
	rows, err = conn.Query(ctx, `SELECT t.relname::text, COALESCE(
			'ALTER TABLE ' || $1 || '.' || t.relname || ' ADD CONSTRAINT ' || c.conname || ' ' || pg_get_constraintdef(c.oid),
			pg_get_indexdef(i.indexrelid))
		FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
		WHERE t.relnamespace = to_regnamespace($1) AND t.relkind = 'r' ORDER BY i.indexrelid`, schema)
	if err != nil {
		return nil, err
	}
	var table, sql string
	_, err = pgx.ForEachRow(rows, []any{&table, &sql}, func() error {
		for i, t := range tables {
			if t.name == table {
				tables[i].indexes = append(t.indexes, sql)
			}
		}
		return nil
	})
	return tables, err
}

// tableSizes returns the size of each table in bytes. A table of 0 bytes has no rows.
func tableSizes(ctx context.Context, conn *pgx.Conn, schema string) (map[string]int64, error) {
	rows, err := conn.Query(ctx, `SELECT relname::text, pg_relation_size(oid) FROM pg_class
		WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`, schema)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	var name string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&name, &size}, func() error {
		sizes[name] = size
		return nil
	})
	return sizes, err
}

func commentOn(schema, comment string) string {
	return "COMMENT ON SCHEMA " + schema + " IS '" + comment + "';\n"
}

// kindOfSchema returns the comment of a schema. It is the digest of the schema's
// migrations, and "" before all of them have run. It returns store.ErrNoWorld.
func kindOfSchema(ctx context.Context, conn *pgx.Conn, schema string) (string, error) {
	var comment *string
	err := conn.QueryRow(ctx, "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1", schema).Scan(&comment)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", store.ErrNoWorld
	}
	if err != nil || comment == nil {
		return "", err
	}
	return *comment, nil
}

// run executes statements in one message. They are one transaction, unless the
// connection already has one open.
func run(ctx context.Context, conn *pgx.Conn, script string) error {
	_, err := conn.PgConn().Exec(ctx, script).ReadAll()
	return err
}
