package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A world that is written to has statistics soon: autovacuum looks once a minute.
func TestWritesAreFollowedByStatistics(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, items)
	statistics := func() (columns int) {
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Get(`SELECT COUNT(*) FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'item'`, nil, &columns)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return columns
	}
	for n := range 30 {
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`INSERT INTO item (id, n, ok) SELECT ? || g, g, TRUE FROM generate_series(1, 100) g`, fmt.Sprint(n, " "))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(45 * time.Second); statistics() == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there are no statistics of 3,000 new rows")
		}
	}
}
