package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/store"
)

// A table is vacuumed once an eighth of it is dead rows, and at least minDead bytes: then
// reading its indexes for it costs about what was saved by waiting.
const minDead = 512 << 10

// The tables of a schema, all of them or those that have many dead rows, by themselves, in
// their indexes or in what the server stores apart (TOAST). The server counts the rows of
// each; its counts follow the writes by a second or so.
const (
	allTables  = `SELECT relname::text FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind = 'r'`
	deadTables = `SELECT t.relname::text FROM pg_class t, LATERAL (
			SELECT SUM(size * dead / GREATEST(dead + live, 1)) AS dead, SUM(size) AS size
			FROM (SELECT pg_relation_size(r) + pg_indexes_size(r) AS size, pg_stat_get_dead_tuples(r) AS dead, pg_stat_get_live_tuples(r) AS live
				FROM unnest(ARRAY[t.oid, t.reltoastrelid]) r WHERE r <> 0) AS parts) AS whole
		WHERE t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND t.relkind = 'r' AND dead >= $2 AND 8 * dead >= size`
)

// Compact implements store.Backend. VACUUM makes the space of dead rows free for new ones:
// without it tables grow until one of the server's own turns, a minute apart. Writes go on
// meanwhile. A table that the server is at itself is left out, unless it is to be scrubbed. To
// scrub, all tables are vacuumed; what the server keeps elsewhere, as in its own log, is not
// ours to remove.
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
