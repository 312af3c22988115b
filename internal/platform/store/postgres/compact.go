package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/store"
)

// minDead is the least size, in bytes, of the dead rows for which Compact vacuums a
// table; they must also be at least an eighth of the table. VACUUM reads all indexes of
// a table, so vacuuming more often would cost more than the earlier free space is worth.
const minDead = 512 << 10

// The queries for the tables of a schema: all of them, and those with many dead rows. The
// size of dead rows is estimated from the server's counts of rows, which lag behind the
// writes by about a second. It includes indexes and TOAST, where the server stores long
// values.
const (
	allTables  = `SELECT relname::text FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind = 'r'`
	deadTables = `SELECT t.relname::text FROM pg_class t, LATERAL (
			SELECT SUM(size * dead / GREATEST(dead + live, 1)) AS dead, SUM(size) AS size
			FROM (SELECT pg_relation_size(r) + pg_indexes_size(r) AS size, pg_stat_get_dead_tuples(r) AS dead, pg_stat_get_live_tuples(r) AS live
				FROM unnest(ARRAY[t.oid, t.reltoastrelid]) r WHERE r <> 0) AS parts) AS whole
		WHERE t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND t.relkind = 'r' AND dead >= $2 AND 8 * dead >= size`
)

// Compact implements store.Backend. It vacuums the tables with many dead rows, so that new
// rows use their space: the server itself vacuums at most once a minute, and until then
// tables grow. Writes can continue meanwhile. It skips tables that are locked, for example
// because the server is vacuuming them. With scrub it vacuums all tables and waits for
// locks. It cannot remove what the server stores elsewhere, for example in its log.
func (w *world) Compact(ctx context.Context, scrub bool) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	c, err := w.store.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	command, query, args := "VACUUM ", allTables, []any{w.schema}
	if !scrub {
		command, query, args = "VACUUM (SKIP_LOCKED) ", deadTables, append(args, minDead)
	}
	rows, err := c.Query(ctx, query, args...)
	if err != nil {
		return store.Wrap("VACUUM", classify(err))
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		return store.Wrap("VACUUM", classify(err))
	}
	for i, t := range tables {
		tables[i] = pgx.Identifier{w.schema, t}.Sanitize()
	}
	_, err = c.Exec(ctx, command+strings.Join(tables, ", "))
	return store.Wrap("VACUUM", classify(err))
}
