package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/storetest"
)

// together runs writes that share a transaction: the first of them runs until all
// others wait. It returns their errors.
func together(w *store.World, writes ...func(tx *store.Tx) error) []error {
	return togetherWith(w, func(int) context.Context { return context.Background() }, writes...)
}

// togetherWith is together with the contexts of the writes, by their places.
func togetherWith(w *store.World, contexts func(i int) context.Context, writes ...func(tx *store.Tx) error) []error {
	out := make([]error, len(writes))
	begun, full := make(chan struct{}), make(chan struct{})
	var gather sync.Once
	var wg sync.WaitGroup
	for i, fn := range writes {
		if i == 1 {
			<-begun
		}
		wg.Go(func() {
			out[i] = w.Write(contexts(i), func(tx *store.Tx) error {
				if i == 0 {
					gather.Do(func() { close(begun); <-full })
				}
				return fn(tx)
			})
		})
	}
	for end := time.Now().Add(time.Minute); postgres.Waiting(w) < len(writes)-1 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(full)
	wg.Wait()
	return out
}

func insert(id int) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, txid_current(), TRUE)", fmt.Sprint(id))
		return err
	}
}

func transactions(t *testing.T, w *store.World) (rows, transactions int64) {
	t.Helper()
	if err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*), COUNT(DISTINCT n) FROM item", nil, &rows, &transactions)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return rows, transactions
}

// Writers that come together share a transaction, and with it a commit.
func TestWritersShareACommit(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, items)
	writes := make([]func(*store.Tx) error, 50)
	for i := range writes {
		writes[i] = insert(i)
	}
	if err := errors.Join(together(w, writes...)...); err != nil {
		t.Fatal(err)
	}
	if rows, n := transactions(t, w); rows != 50 || n != 1 {
		t.Errorf("%d rows in %d transactions, want 50 in 1", rows, n)
	}
}

// A transaction that another one was in the way of runs again, with all writes in it.
func TestAConflictRunsAgain(t *testing.T) {
	t.Parallel()
	for _, once := range []bool{false, true} {
		w := storetest.Postgres(t, items)
		if once {
			w.RunOnce()
		}
		tries := 0
		conflict := func(tx *store.Tx) error {
			if tries++; tries < 3 {
				_, err := tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40P01'; END $$")
				return err
			}
			return insert(1)(tx)
		}
		if err := errors.Join(together(w, insert(0), conflict, insert(2))...); err != nil {
			t.Errorf("once %v: %v", once, err)
		}
		if rows, _ := transactions(t, w); rows != 3 || tries != 3 {
			t.Errorf("once %v: %d rows after %d tries", once, rows, tries)
		}
	}
}

// A write that others are in the way of each time is refused for the moment, like the
// writes beside it.
func TestAConflictWithoutEndIsUnavailable(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, items)
	conflict := func(tx *store.Tx) error {
		_, err := tx.Exec("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40P01'; END $$")
		return err
	}
	for i, err := range together(w, insert(0), conflict) {
		if !errors.Is(err, store.Unavailable) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if err := w.Write(t.Context(), conflict); !errors.Is(err, store.Unavailable) {
		t.Errorf("alone: %v", err)
	}
}

// A statement that the server does not even prepare, or that cannot be sent, fails
// its own write alone.
func TestStatementsThatCannotBeSentFailOneWrite(t *testing.T) {
	t.Parallel()
	for what, bad := range map[string][]any{"INSERT INTO nowhere (id) VALUES (?)": {1}, "INSERT INTO item (id) VALUES (?)": {struct{}{}}} {
		for _, once := range []bool{false, true} {
			w := storetest.Postgres(t, items)
			if once {
				w.RunOnce()
			}
			errs := together(w, insert(0), func(tx *store.Tx) error {
				_, err := tx.Exec(what, bad...)
				return err
			}, insert(2))
			if errs[0] != nil || errs[1] == nil || errors.Is(errs[1], store.Unavailable) || errs[2] != nil {
				t.Errorf("%s, once %v: %v", what, once, errs)
			}
			if rows, _ := transactions(t, w); rows != 2 {
				t.Errorf("%s, once %v: %d rows, want 2", what, once, rows)
			}
		}
	}
}

// A connection that is lost under one write costs the writes beside it nothing.
func TestALostConnectionFailsOneWrite(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, items)
	lose := func(tx *store.Tx) error {
		_, err := tx.Exec("SELECT pg_terminate_backend(pg_backend_pid())")
		return err
	}
	errs := together(w, insert(0), lose, insert(2))
	if errs[0] != nil || !errors.Is(errs[1], store.Unavailable) || errs[2] != nil {
		t.Errorf("%v", errs)
	}
	if rows, _ := transactions(t, w); rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
}

// A write finds what those behind it have announced, and nothing of those that
// have run.
func TestWritesFindWhatIsAnnounced(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, items)
	const n = 30
	var mu sync.Mutex
	ran, most := map[int]bool{}, 0
	writes := make([]func(*store.Tx) error, n)
	for i := range writes {
		writes[i] = func(tx *store.Tx) error {
			mu.Lock()
			defer mu.Unlock()
			ran[i] = true
			announced := store.Announced[int](tx)
			most = max(most, len(announced))
			for _, other := range announced {
				if ran[other] || other%5 == 4 {
					t.Errorf("write %d found %d", i, other)
				}
			}
			if other := store.Announced[string](tx); len(other) > 0 {
				t.Errorf("a number is a text: %q", other)
			}
			return nil
		}
	}
	contexts := func(i int) context.Context {
		if i%5 == 4 {
			return context.Background()
		}
		return store.Announce(context.Background(), i)
	}
	if err := errors.Join(togetherWith(w, contexts, writes...)...); err != nil {
		t.Error(err)
	}
	if want := n*4/5 - 1; most != want { // the first one finds all others
		t.Errorf("at most %d were announced, want %d", most, want)
	}
}
