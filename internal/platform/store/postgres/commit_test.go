package postgres_test

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

var items = []store.Schema{{Name: "items", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT NOT NULL, ok BOOLEAN NOT NULL);`)}}}}

// slow makes later commits last half a second.
func slow(tx *store.Tx) error {
	for _, text := range []string{
		"CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$",
		"CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()",
	} {
		if _, err := tx.Exec(text); err != nil {
			return err
		}
	}
	return nil
}

// Once a commit was sent the server may execute it, whether the caller waits or
// not: its callbacks must run, and no error may say that it failed.
func TestACommitIsNotInterrupted(t *testing.T) {
	w := storetest.Postgres(t, items)
	if err := w.Write(context.Background(), slow); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	conn, err := pgx.Connect(ctx, storetest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	watched := make(chan struct{})
	go func() { // leaves once the server executes the commit
		defer close(watched)
		for committing := false; !committing && ctx.Err() == nil; {
			_ = conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')").Scan(&committing)
		}
		leave()
	}()
	called := false
	err = w.Write(ctx, func(tx *store.Tx) error {
		tx.AfterCommit(func() { called = true })
		_, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES ('a', 1, TRUE)")
		return err
	})
	leave()
	<-watched
	time.Sleep(time.Second) // a server that was left alone with it is done
	kept := false
	if err := w.Read(context.Background(), func(tx *store.Tx) (err error) {
		kept, err = tx.Get("SELECT 1 FROM item", nil, new(int64))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !kept || !called || err != nil {
		t.Errorf("kept: %v, called: %v, error: %v", kept, called, err)
	}
}
