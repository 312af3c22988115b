package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/platform/store/storetest/throwaway"
)

func one(tx *store.Tx) error {
	_, err := tx.Get("SELECT 1", nil, new(int64))
	return err
}

// claimed opens a store and a world in it, for one process.
func claimed(t *testing.T, url string) (store.Store, *store.World) {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	if err == nil {
		err = s.Claim(t.Context(), slog.New(slog.DiscardHandler))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Open(t.Context(), "first", items)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func eventually(t *testing.T, within time.Duration, what string, f func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	t.Errorf("%s: %v", what, err)
}

// While the server hangs each use ends in bounded time with Unavailable,
// whether it begins or has a statement in progress.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	server, err := throwaway.Start()
	if errors.Is(err, throwaway.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	s, w := claimed(t, server.URL)
	inside, after := make(chan bool), make(chan bool)
	running := make(chan error, 1)
	go func() {
		running <- w.Read(context.Background(), func(tx *store.Tx) error {
			close(inside)
			<-after
			return one(tx)
		})
	}()
	<-inside
	if err := server.Pause(); err != nil {
		t.Fatal(err)
	}
	close(after)
	began := time.Now()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if err := w.Read(context.Background(), one); !errors.Is(err, store.Unavailable) {
				t.Errorf("a read: %v", err)
			}
		})
	}
	wg.Go(func() {
		if err := <-running; !errors.Is(err, store.Unavailable) {
			t.Errorf("a statement under way: %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.Ping(ctx); err == nil {
		t.Error("it answers a ping")
	}
	wg.Wait()
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "after it", func() error { return w.Read(context.Background(), one) })
}

// A world whose tables are locked by somebody leaves connections to the others.
func TestALockedTableLeavesConnections(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	s, locked := claimed(t, url)
	other, err := s.Open(ctx, "other", items)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err == nil {
		_, err = conn.Exec(ctx, "BEGIN; LOCK TABLE understudy_first.item")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			err := locked.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec("UPDATE item SET n = 1")
				return err
			})
			if !errors.Is(err, store.Unavailable) {
				t.Errorf("a write to a locked table: %v", err)
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	if err := other.Read(ctx, one); err != nil || time.Since(began) > 2*time.Second {
		t.Errorf("the other world: %v after %s", err, time.Since(began))
	}
	wg.Wait()
	if took := time.Since(began); took > 12*time.Second {
		t.Errorf("it took %s", took)
	}
}

// cutLock ends the connections that hold a lock of the database, but for the one that it runs on.
const cutLock = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Whoever loses the connection that holds its lock takes it again, unless
// another process had it meanwhile.
func TestALostLock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	s, w := claimed(t, url)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	cut := func() {
		if _, err := conn.Exec(ctx, cutLock); err != nil {
			t.Fatal(err)
		}
	}
	cut()
	eventually(t, 5*time.Second, "the lock is taken again", func() error {
		var n int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&n)
		if err == nil && n != 1 {
			err = errors.New("nobody holds it")
		}
		return err
	})
	if err := errors.Join(s.Ping(ctx), w.Read(ctx, one)); err != nil {
		t.Errorf("after that: %v", err)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared(1)"); err != nil { // any other lock is no matter
		t.Fatal(err)
	}
	for range 20 { // be quicker than the one that lost it
		cut()
		var mine bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtext('understudy nodes'))").Scan(&mine); err != nil {
			t.Fatal(err)
		}
		if mine {
			break
		}
	}
	if _, err := conn.Exec(ctx, "COMMENT ON SCHEMA understudyclaim IS 'another'"); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "what was lost is not used", func() error {
		if err := w.Read(ctx, one); !errors.Is(err, store.Unavailable) {
			return errors.New("it is used")
		}
		return nil
	})
	_ = conn.Close(ctx)
	time.Sleep(2500 * time.Millisecond)
	if err := w.Read(ctx, one); !errors.Is(err, store.Unavailable) {
		t.Errorf("after another process had it: %v", err)
	} else if told, _ := fault.As(err); !strings.Contains(told.Detail, "restarted") {
		t.Errorf("clients are told to try again in vain: %s", told.Detail)
	}
	if err := s.Ping(ctx); err == nil {
		t.Error("it counts as ready")
	}
}

// A write that cannot run again after a conflict, as the database is lost to another
// process meanwhile, is told that, and nothing of the conflict.
func TestALostLockBetweenTwoTries(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := storetest.DatabaseURL(t)
	s, w := claimed(t, url)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	lost := false
	err = w.Write(ctx, func(tx *store.Tx) error {
		for mine := false; !mine; { // be quicker than the one that loses it
			if _, err := conn.Exec(ctx, cutLock); err != nil {
				return err
			}
			if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtext('understudy nodes'))").Scan(&mine); err != nil {
				return err
			}
		}
		for end := time.Now().Add(20 * time.Second); !lost && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			lost = s.Ping(ctx) != nil
		}
		_, err := tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40P01'; END $$")
		return err
	})
	if !lost || !errors.Is(err, store.Unavailable) || strings.Contains(err.Error(), "in the way") {
		t.Errorf("lost %v: %v", lost, err)
	}
}

// Connections that the server has ended are replaced without anyone noticing.
func TestBrokenConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := storetest.Postgres(t, items)
	hold := make(chan bool)
	var inside, wg sync.WaitGroup
	for range 8 {
		inside.Add(1)
		wg.Go(func() {
			_ = w.Read(ctx, func(tx *store.Tx) error {
				inside.Done()
				<-hold
				_, err := tx.Exec("SELECT set_config('application_name', 'mine', false)")
				return err
			})
		})
	}
	inside.Wait()
	close(hold)
	wg.Wait()
	conn, err := pgx.Connect(ctx, storetest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mine'"); err != nil {
		t.Fatal(err)
	}
	for range 16 {
		if err := w.Read(ctx, one); err != nil {
			t.Errorf("a read: %v", err)
		}
	}
}
