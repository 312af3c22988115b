package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"understudy/internal/platform/store"
)

// light is the size of a world, in bytes, up to which emptying its tables is
// faster than creating new ones.
const light = 16 << 20

// asyncCommit precedes the statements that create or fill a schema, so that their
// commit does not wait for the disk. The schema is not used before the commit of
// the row that refers to it, which does wait.
const asyncCommit = "SET LOCAL synchronous_commit = off;\n"

// Create implements store.Store.
func (s *Store) Create(ctx context.Context, name, from string, schemas []store.Schema) (*store.World, error) {
	if err := s.Drop(ctx, name); err != nil {
		return nil, err
	}
	if from != "" {
		if err := s.copy(ctx, from, name, s.know(schemas)); err != nil {
			return nil, classify(err)
		}
	}
	w, err := s.Open(ctx, name, schemas)
	if err == nil {
		w.Backend().(*world).volatile.Store(true)
	}
	return w, err
}

// Copy copies a schema in one transaction: into the schema to if it exists and is
// writable, otherwise into an archived one, which is expanded when it is opened
// for writing.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	return classify(s.copy(ctx, from, to, ""))
}

// copiers is the number of schemas that Multiply copies concurrently.
const copiers = 4

// Multiply implements store.Store.
func (s *Store) Multiply(ctx context.Context, from string, to []string, schemas []store.Schema) error {
	digest := s.know(schemas)
	var all errgroup.Group
	all.SetLimit(copiers)
	for _, name := range to {
		all.Go(func() error {
			if err := s.Drop(ctx, name); err != nil {
				return err
			}
			return s.copy(ctx, from, name, digest)
		})
	}
	return classify(all.Wait())
}

// Sync does nothing: a copy is durable when its transaction has ended.
func (s *Store) Sync(context.Context) error { return nil }

// copy is Copy; if whole is the digest of from, the copy is writable in any case.
func (s *Store) copy(ctx context.Context, from, to, whole string) error {
	if err := store.CheckNames(from, to); err != nil {
		return err
	}
	from, to = worldPrefix+from, worldPrefix+to
	kind, err := kindOf(ctx, s, from)
	if err == nil && kind == "" {
		err = fmt.Errorf("the migrations of %s have not all run", from)
	}
	if err != nil {
		return err
	}
	l, err := s.layoutOf(ctx, strings.TrimSuffix(kind, archivedMark), from)
	if err != nil {
		return err
	}
	conn, err := s.acquire(ctx)
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
		if err := s.allocate(ctx, conn.Conn(), to, l); err != nil {
			return err
		}
		isWhole = true
	}
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		has, err := s.snapshot(ctx, tx, from, to)
		if err != nil {
			return err
		}
		b := &strings.Builder{}
		b.WriteString(asyncCommit)
		if isWhole {
			l.fill(b, to, from, had, has)
		} else {
			l.archive(b, to, from, has)
		}
		return run(ctx, tx.Conn(), b.String())
	})
}

// snapshot begins the snapshot of the transaction that copies a schema, and
// returns which tables have rows.
func (s *Store) snapshot(ctx context.Context, tx pgx.Tx, from, to string) (has rows, err error) {
	read := func() error {
		has, err = rowsIn(ctx, tx.Conn(), from)
		return err
	}
	if w, ok := s.watched.Load(from); ok {
		if wt := w.(*world).witness.Load(); wt != nil {
			err = (*wt).Copy(strings.TrimPrefix(to, worldPrefix), read)
			return has, err
		}
	}
	err = read()
	return has, err
}

func sum(sizes map[string]int64) (n int64) {
	for size := range maps.Values(sizes) {
		n += size
	}
	return n
}

// expand makes an archived copy writable.
func (l *layout) expand(ctx context.Context, conn *pgx.Conn, schema string) error {
	aside := schemaAside + strings.TrimPrefix(schema, worldPrefix)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		has, err := rowsIn(ctx, conn, schema)
		if err != nil {
			return err
		}
		b := &strings.Builder{}
		fmt.Fprintf(b, "%sALTER SCHEMA %s RENAME TO %s;\n", asyncCommit, schema, aside)
		l.make(b, schema)
		l.fill(b, schema, aside, l.templateRows(), has)
		fmt.Fprintf(b, "DROP SCHEMA %s CASCADE", aside)
		return run(ctx, conn, b.String())
	})
}

// allocate creates a schema like the template, from a spare one if there is any.
func (s *Store) allocate(ctx context.Context, conn *pgx.Conn, schema string, l *layout) error {
	if s.takeSpare(ctx, conn, schema, l) {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		b := &strings.Builder{}
		b.WriteString(asyncCommit)
		l.make(b, schema)
		return run(ctx, conn, b.String())
	})
}

// maxSpares is the number of schemas of removed small worlds that are kept for
// new ones: creating the tables of a world takes far longer than emptying them.
const maxSpares = 8

// takeSpare renames a spare schema. It reports whether there was one.
func (s *Store) takeSpare(ctx context.Context, conn *pgx.Conn, schema string, l *layout) bool {
	s.sparing.Lock()
	defer s.sparing.Unlock()
	spares, err := schemasLike(ctx, conn, schemaOfSpare+l.digest+"_")
	if err != nil || len(spares) == 0 {
		return false
	}
	// Another node may have been faster.
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		return run(ctx, conn, asyncCommit+"ALTER SCHEMA "+spares[0]+" RENAME TO "+schema)
	}) == nil
}

// Drop implements store.Store.
func (s *Store) Drop(ctx context.Context, name string) error {
	if err := store.CheckNames(name); err != nil {
		return err
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	schema := worldPrefix + name
	if s.spare(ctx, conn.Conn(), schema) {
		return nil
	}
	return classify(run(ctx, conn.Conn(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE"))
}

// spare empties a schema and keeps it for another world. It reports whether it
// did.
func (s *Store) spare(ctx context.Context, conn *pgx.Conn, schema string) bool {
	kind, err := kindOfSchema(ctx, conn, schema)
	s.layouting.Lock()
	l := s.layouts[kind]
	s.layouting.Unlock()
	if err != nil || l == nil {
		return false
	}
	name := schemaOfSpare + l.digest + "_" + strings.TrimPrefix(schema, worldPrefix)
	spares, err := schemasLike(ctx, conn, schemaOfSpare+l.digest+"_")
	if err != nil || len(spares) >= maxSpares || store.CheckNames(name) != nil {
		return false
	}
	had, err := tableSizes(ctx, conn, schema)
	if err != nil || sum(had) > light || !l.isWhole(had) {
		return false
	}
	return pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		b := &strings.Builder{}
		b.WriteString(asyncCommit)
		l.fill(b, schema, l.template, had, rows{sizes: l.templateRows()})
		fmt.Fprintf(b, "ALTER SCHEMA %s RENAME TO %s", schema, name)
		return run(ctx, conn, b.String())
	}) == nil
}

// isWhole reports whether a schema with these tables has all tables of the
// template: one may have been dropped.
func (l *layout) isWhole(tables map[string]int64) bool {
	for _, t := range l.tables {
		if _, ok := tables[t.name]; !ok {
			return false
		}
	}
	return true
}

// dropSpares removes the spare schemas of an earlier run, perhaps of an older build.
func (s *Store) dropSpares(ctx context.Context, conn *pgx.Conn) error {
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
