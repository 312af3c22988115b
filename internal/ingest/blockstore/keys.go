package blockstore

import (
	"context"
	"log/slog"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// openKeys returns the index for a database: with SQLite, which one process uses,
// an index that is partly in memory; with PostgreSQL, which several nodes share,
// a table.
// rebuilt is called once for each damaged part that is found.
func openKeys(ctx context.Context, w *store.World, log *slog.Logger, rebuilt *func()) (keyIndex, error) {
	k := &keyRuns{world: w, log: log, rebuilt: rebuilt, recent: map[uint64]int64{}}
	table := false
	err := w.Read(ctx, func(tx *store.Tx) error {
		if table = tx.Dialect().Name == "postgres"; table {
			return nil
		}
		return k.load(tx)
	})
	if table {
		return keyTable{}, err
	}
	return k, err
}

// keyTable is the index in a table.
type keyTable struct{}

func (keyTable) find(tx *store.Tx, hashes []uint64) (map[uint64][]int64, error) {
	return selectKeys(tx, hashes)
}

func (keyTable) add(tx *store.Tx, hashes []uint64, seq int64) error {
	rows := make([][]any, len(hashes))
	for i, h := range hashes {
		rows[i] = []any{int64(h), seq + int64(i)}
	}
	return tx.CopyFrom("event_key", []string{"hash", "seq"}, rows)
}

func (keyTable) remove(tx *store.Tx, project string, events []ingest.Event, numbers []int64) error {
	rows := make([][]any, len(events))
	for i := range events {
		rows[i] = []any{int64(hashID(project, events[i].ID)), numbers[i]}
	}
	return deleteKeys(tx, rows)
}

func (keyTable) merge(context.Context) (bool, error) { return false, nil }

func (keyTable) mend(context.Context, damagedKeys) error { return nil }

func (keyTable) close() {}
