package sqlite_test

import (
	"context"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

var logged = []store.Schema{{Name: "logged", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL);`)}}}}

func BenchmarkWrite(b *testing.B) {
	w := storetest.SQLite(b, logged)
	ctx := context.Background()
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			err := w.Write(ctx, func(tx *store.Tx) error {
				if _, err := tx.Exec("INSERT INTO log (item_id) VALUES (?)", "x"); err != nil {
					return err
				}
				_, err := tx.Exec("INSERT INTO log (item_id) VALUES (?)", "y")
				return err
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}
