package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/store"
)

// The server plans statements by statistics of the tables, which autovacuum gathers a
// minute after a table has grown at the earliest. Of a table without any it expects that
// a condition on its first key column selects a few rows, so it may choose an index that
// leads to all rows of the world, and so each statement takes the longer the more an
// import has written. Therefore a world that is written to looks after its statistics.

const (
	// lookAfter is how many writes lead to a look at the statistics.
	lookAfter = 20
	// lookPause is the pause before a look: connections report what they have changed
	// at most once a second, and when they have been idle for ten.
	lookPause = time.Second
	// lastLook is after how many pauses without many writes the last look comes.
	lastLook = 12
	// fewChanges is up to how many changed rows of a table do not matter.
	fewChanges = 500
)

const (
	// tables selects the tables of a world. It reads the catalogue of all worlds.
	tables = `SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'`
	// grown selects, of some tables, those of which half of the rows are newer than the
	// statistics. With OFFSET 0 each is looked up.
	grown = `SELECT c.relname FROM unnest(CAST(? AS TEXT[])) n CROSS JOIN LATERAL
		(SELECT relname, oid FROM pg_class WHERE relname = CAST(n AS name) AND relnamespace = CAST(current_schema() AS regnamespace) OFFSET 0) c
		WHERE pg_stat_get_mod_since_analyze(c.oid) > GREATEST(CAST(? AS BIGINT), pg_stat_get_live_tuples(c.oid) / 2)`
)

// statistics looks after the statistics of a world.
type statistics struct {
	unlooked atomic.Int64 // writes since the last look
	looking  atomic.Bool  // keep runs
	tables   []string     // of the world; nil before the first look
}

// wrote counts committed writes, and looks at the statistics in the background when
// they are many.
func (s *statistics) wrote(w *world, writes int) {
	if s.unlooked.Add(int64(writes)) >= lookAfter && !s.looking.Swap(true) {
		go s.keep(w)
	}
}

// keep runs ANALYZE for tables that have grown, until few writes follow.
func (s *statistics) keep(w *world) {
	defer s.looking.Store(false)
	for quiet := 1; quiet <= lastLook; quiet++ {
		time.Sleep(lookPause)
		if s.unlooked.Load() < lookAfter && quiet < lastLook {
			continue
		}
		if s.unlooked.Swap(0) >= lookAfter {
			quiet = 0
		}
		if !w.users.Acquire() { // the world is closed
			return
		}
		_ = s.analyze(context.Background(), w) // what fails is left to autovacuum
		w.users.Release()
	}
}

// analyze gathers the statistics of the tables that have grown. Only one world at a time
// does so.
func (s *statistics) analyze(ctx context.Context, w *world) error {
	w.store.analyzing.Lock()
	defer w.store.analyzing.Unlock()
	var stale []string
	_, err := w.run(ctx, "BEGIN READ ONLY", func(tx *store.Tx) (err error) {
		if s.tables == nil {
			if s.tables, err = namesIn(tx, tables); err != nil {
				return err
			}
		}
		stale, err = namesIn(tx, grown, s.tables, fewChanges)
		return err
	})
	for _, table := range stale {
		if err != nil {
			break
		}
		_, err = w.run(ctx, "BEGIN; SET LOCAL synchronous_commit = off", func(tx *store.Tx) error {
			_, err := tx.Exec("ANALYZE " + pgx.Identifier{table}.Sanitize())
			return err
		})
	}
	return err
}

// namesIn returns the names that a statement selects.
func namesIn(tx *store.Tx, sql string, args ...any) (out []string, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		var name string
		err := r.Scan(&name)
		out = append(out, name)
		return err
	})
	return out, err
}
