package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/store"
)

// Compact implements store.Backend. The server frees space by itself. For scrub,
// VACUUM removes deleted rows from the tables at once; Compact does not reach
// other places, such as the server's log.
func (w *world) Compact(ctx context.Context, scrub bool) error {
	if !scrub {
		return nil
	}
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	c, err := w.store.pool.Acquire(ctx)
	if err != nil {
		return store.Unavailable.Because(err)
	}
	defer c.Release()
	rows, err := c.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = $1", w.schema)
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
	_, err = c.Exec(ctx, "VACUUM "+strings.Join(tables, ", "))
	return store.Wrap("VACUUM", classify(err))
}
