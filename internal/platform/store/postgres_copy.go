package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// light is the size of a world, in bytes, up to which emptying its tables is
// quicker than making them again.
const light = 16 << 20

// unhurried is put before what makes or fills a schema: nobody relies on it
// until someone commits what refers to it, and waits for the disk then.
const unhurried = "SET LOCAL synchronous_commit = off;\n"

// Create makes a schema, or takes a spare one. What is written to it is durable from Seal on.
func (s *postgresStore) Create(ctx context.Context, world, from string, schemas []Schema) (*World, error) {
	if err := s.Drop(ctx, world); err != nil {
		return nil, err
	}
	if from != "" {
		if err := s.copy(ctx, from, world, s.know(schemas)); err != nil {
			return nil, err
		}
	}
	w, err := s.Open(ctx, world, schemas)
	if err == nil {
		w.backend.(*postgresWorld).unsealed.Store(true)
	}
	return w, err
}

// Copy copies a schema in one transaction: into one that can be written to
// where such a one has the name, else to a thin one, which is completed when it
// is opened to be written to.
func (s *postgresStore) Copy(ctx context.Context, from, to string) error {
	return s.copy(ctx, from, to, "")
}

// copy is Copy; to is complete in any case when from has the digest whole.
func (s *postgresStore) copy(ctx context.Context, from, to, whole string) error {
	if !worldName.MatchString(from) || !worldName.MatchString(to) {
		return fmt.Errorf("bad world name %q or %q", from, to)
	}
	from, to = worldPrefix+from, worldPrefix+to
	kind, err := s.kind(ctx, from)
	if err == nil && kind == "" {
		err = fmt.Errorf("the migrations of %s have not all run", from)
	}
	if err != nil {
		return err
	}
	l, err := s.layoutOf(ctx, strings.TrimSuffix(kind, thinMark), from)
	if err != nil {
		return err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	kind, err = kindOfSchema(ctx, conn.Conn(), to)
	isWhole := err == nil && kind == l.digest
	had := l.templateRows()
	if isWhole {
		if had, err = tableSizes(ctx, conn.Conn(), to); err != nil {
			return err
		}
		if sum(had) > light {
			if err := run(ctx, conn.Conn(), "DROP SCHEMA "+to+" CASCADE"); err != nil {
				return err
			}
			isWhole, whole, had = false, l.digest, l.templateRows()
		}
	}
	if !isWhole && whole == l.digest {
		if err := s.furnish(ctx, conn.Conn(), to, l); err != nil {
			return err
		}
		isWhole = true
	}
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		has, err := rowsIn(ctx, tx.Conn(), from)
		if err != nil {
			return err
		}
		b := &strings.Builder{}
		b.WriteString(unhurried)
		if isWhole {
			l.fill(b, to, from, had, has)
		} else {
			l.thin(b, to, from, has)
		}
		return run(ctx, tx.Conn(), b.String())
	})
}

func sum(sizes map[string]int64) (n int64) {
	for size := range maps.Values(sizes) {
		n += size
	}
	return n
}

// fatten completes a thin copy.
func (l *layout) fatten(ctx context.Context, conn *pgx.Conn, schema string) error {
	aside := schemaAside + strings.TrimPrefix(schema, worldPrefix)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		has, err := rowsIn(ctx, conn, schema)
		if err != nil {
			return err
		}
		b := &strings.Builder{}
		fmt.Fprintf(b, "%sALTER SCHEMA %s RENAME TO %s;\n", unhurried, schema, aside)
		l.make(b, schema)
		l.fill(b, schema, aside, l.templateRows(), has)
		fmt.Fprintf(b, "DROP SCHEMA %s CASCADE", aside)
		return run(ctx, conn, b.String())
	})
}

// furnish makes a schema like the template, of a spare one where there is one.
func (s *postgresStore) furnish(ctx context.Context, conn *pgx.Conn, schema string, l *layout) error {
	if s.takeSpare(ctx, conn, schema, l) {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		b := &strings.Builder{}
		b.WriteString(unhurried)
		l.make(b, schema)
		return run(ctx, conn, b.String())
	})
}

// Making the tables of a world takes far longer than emptying them. So the
// schemas of small worlds that are removed are kept for new ones, a few.
const mostSpares = 8

func (s *postgresStore) takeSpare(ctx context.Context, conn *pgx.Conn, schema string, l *layout) bool {
	s.sparing.Lock()
	defer s.sparing.Unlock()
	spares, err := schemasLike(ctx, conn, schemaOfSpare+l.digest+"_")
	if err != nil || len(spares) == 0 {
		return false
	}
	// Another node may have been quicker.
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		return run(ctx, conn, unhurried+"ALTER SCHEMA "+spares[0]+" RENAME TO "+schema)
	}) == nil
}

func (s *postgresStore) Drop(ctx context.Context, world string) error {
	if !worldName.MatchString(world) {
		return fmt.Errorf("bad world name %q", world)
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	schema := worldPrefix + world
	if s.spare(ctx, conn.Conn(), schema) {
		return nil
	}
	return run(ctx, conn.Conn(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
}

// spare empties a schema and keeps it for another world, and tells whether it did.
func (s *postgresStore) spare(ctx context.Context, conn *pgx.Conn, schema string) bool {
	kind, err := kindOfSchema(ctx, conn, schema)
	s.layouting.Lock()
	l := s.layouts[kind]
	s.layouting.Unlock()
	if err != nil || l == nil {
		return false
	}
	name := schemaOfSpare + l.digest + "_" + strings.TrimPrefix(schema, worldPrefix)
	spares, err := schemasLike(ctx, conn, schemaOfSpare+l.digest+"_")
	if err != nil || len(spares) >= mostSpares || !worldName.MatchString(name) {
		return false
	}
	had, err := tableSizes(ctx, conn, schema)
	if err != nil || sum(had) > light || !l.isWhole(had) {
		return false
	}
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		b := &strings.Builder{}
		b.WriteString(unhurried)
		l.fill(b, schema, l.template, had, rows{sizes: l.templateRows()})
		fmt.Fprintf(b, "ALTER SCHEMA %s RENAME TO %s", schema, name)
		return run(ctx, conn, b.String())
	}) == nil
}

// isWhole tells whether a schema with these tables has all of the template's: somebody may have dropped one.
func (l *layout) isWhole(tables map[string]int64) bool {
	for _, t := range l.tables {
		if _, ok := tables[t.name]; !ok {
			return false
		}
	}
	return true
}

// dropSpares removes what an earlier run has kept, perhaps for an older build.
func (s *postgresStore) dropSpares(ctx context.Context, conn *pgx.Conn) error {
	spares, err := schemasLike(ctx, conn, schemaOfSpare)
	for _, schema := range spares {
		if err == nil {
			err = run(ctx, conn, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		}
	}
	return err
}

func schemasLike(ctx context.Context, conn *pgx.Conn, prefix string) ([]string, error) {
	found, err := conn.Query(ctx, "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1)", prefix)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	slices.Sort(names)
	return names, err
}
