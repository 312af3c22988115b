package envtest

import (
	"context"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

const createTable = `CREATE TABLE probe (id TEXT PRIMARY KEY);`

// Insert adds a row to the probe's table.
func Insert(t testing.TB, env *environment.Environment, id string) {
	t.Helper()
	if err := env.World.Write(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO probe (id) VALUES (?)", id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func countRows(ctx context.Context, w *store.World) (n int64, err error) {
	err = w.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*) FROM probe", nil, &n)
		return err
	})
	return n, err
}

// Has reports whether the probe's table has a row.
func Has(t testing.TB, env *environment.Environment, id string) (found bool) {
	t.Helper()
	if err := env.World.Read(context.Background(), func(tx *store.Tx) (err error) {
		found, err = tx.Get("SELECT 1 FROM probe WHERE id = ?", []any{id}, new(int64))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}
