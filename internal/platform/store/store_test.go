package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var schemas = []store.Schema{{
	Name: "sample",
	Migrations: fstest.MapFS{
		"0001_init.sql": {Data: []byte(`
			CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT NOT NULL, ok BOOLEAN NOT NULL, note TEXT);
			CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL);`)},
		"0002_only.sqlite.sql":   {Data: []byte(`CREATE TABLE dialect AS SELECT 'sqlite' AS name;`)},
		"0002_only.postgres.sql": {Data: []byte(`CREATE TABLE dialect AS SELECT 'postgres' AS name;`)},
	},
}}

func TestTypesComeBackAsTheyWentIn(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		err := w.Write(ctx, func(tx *store.Tx) error {
			n, err := tx.Exec("INSERT INTO item (id, n, ok, note) VALUES (?, ?, ?, ?)", "a", 7, true, []byte(`{"x":"?"}`))
			if err == nil && n != 1 {
				err = fmt.Errorf("%d rows", n)
			}
			if err != nil {
				return err
			}
			return tx.ExecBatch("INSERT INTO item (id, n, ok, note) VALUES (?, ?, ?, NULL)", [][]any{{"b", 1, false}, {"B", 2, false}})
		})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Read(ctx, func(tx *store.Tx) error {
			var id, dialect string
			var n int64
			var ok bool
			var note *string
			if found, err := tx.Get("SELECT id, n, ok, note FROM item WHERE note = '{\"x\":\"?\"}' AND id = ?", []any{"a"}, &id, &n, &ok, &note); err != nil || !found {
				return fmt.Errorf("found %v: %w", found, err)
			}
			if id != "a" || n != 7 || !ok || note == nil || *note != `{"x":"?"}` {
				t.Errorf("got %q %d %v %v", id, n, ok, note)
			}
			if _, err := tx.Get("SELECT note FROM item WHERE id = 'b'", nil, &note); err != nil || note != nil {
				t.Errorf("note of b: %v, %v", note, err)
			}
			if _, err := tx.Get("SELECT name FROM dialect", nil, &dialect); err != nil || dialect != tx.Dialect().Name {
				t.Errorf("dialect %q: %v", dialect, err)
			}
			var order []string
			err := tx.Each("SELECT id FROM item ORDER BY id", nil, func(r store.Row) error {
				var id string
				order = append(order, id)
				return r.Scan(&order[len(order)-1])
			})
			if fmt.Sprint(order) != "[B a b]" {
				t.Errorf("text sorts as %v, not by bytes", order)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestCopiedRowsAreAllThereOrNone(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		copyRows := func(rows ...[]any) error {
			return w.Write(context.Background(), func(tx *store.Tx) error {
				return tx.CopyFrom("item", []string{"id", "n", "ok", "note"}, rows)
			})
		}
		if err := copyRows([]any{"a", 1, true, "x"}, []any{"b", int64(2), false, nil}); err != nil {
			t.Fatal(err)
		}
		if err := copyRows([]any{"c", 3, true, nil}, []any{"a", 4, true, nil}); err == nil {
			t.Error("a second row with the same key was taken")
		}
		var n, sum int64
		err := w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get("SELECT COUNT(*), CAST(SUM(n) AS BIGINT) FROM item", nil, &n, &sum)
			return err
		})
		if err != nil || n != 2 || sum != 3 {
			t.Errorf("%d rows, sum %d, %v", n, sum, err)
		}
	})
}

func TestAFailedWriteLeavesNothingAndSparesItsNeighbours(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		refused := errors.New("refused")
		var wg sync.WaitGroup
		var mu sync.Mutex
		committed := 0
		for i := range 60 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				err := w.Write(ctx, func(tx *store.Tx) error {
					if _, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil {
						return err
					}
					tx.AfterCommit(func() { mu.Lock(); committed++; mu.Unlock() })
					switch i % 3 {
					case 1:
						return refused
					case 2:
						panic("a bug in one caller")
					}
					return nil
				})
				if (err == nil) != (i%3 == 0) || i%3 == 1 && !errors.Is(err, refused) {
					t.Errorf("write %d: %v", i, err)
				}
			}()
		}
		wg.Wait()
		var n int64
		err := w.Read(ctx, func(tx *store.Tx) error {
			_, err := tx.Get("SELECT COUNT(*) FROM item", nil, &n)
			return err
		})
		if err != nil || n != 20 || committed != 20 {
			t.Fatalf("%d rows, %d hooks, want 20: %v", n, committed, err)
		}
	})
}

// Who draws from a sequence in a write must not draw twice because of a neighbour.
func TestWritesRunOnceWhereTheyMust(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	w.RunOnce()
	refused := errors.New("refused")
	var wg sync.WaitGroup
	begun, full := make(chan struct{}), make(chan struct{})
	runs := make([]int, 90)
	for i := range runs {
		if i == 1 {
			<-begun // the others gather behind the first
		}
		wg.Go(func() {
			err := w.Write(context.Background(), func(tx *store.Tx) error {
				if i == 0 {
					close(begun)
					<-full
				}
				runs[i]++
				if _, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil || i%3 == 0 {
					return err
				}
				return refused
			})
			if (err == nil) != (i%3 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond) // a batch that is smaller shows less
	close(full)
	wg.Wait()
	var n int64
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*) FROM item", nil, &n)
		return err
	})
	if err != nil || n != 30 {
		t.Errorf("%d rows, want 30: %v", n, err)
	}
	for i, n := range runs {
		if n != 1 {
			t.Errorf("write %d ran %d times", i, n)
		}
	}
}

func TestACopyIsAWorldOfItsOwn(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (store.Store, error){
		"sqlite":   func(t *testing.T) (store.Store, error) { return store.Open(t.Context(), "", t.TempDir()) },
		"postgres": func(t *testing.T) (store.Store, error) { return store.Open(t.Context(), storetest.PostgresURL(t), "") },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			t.Cleanup(func() { _ = s.Close() })
			w, err := s.Open(ctx, "original", schemas)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = w.Close(); _ = s.Drop(ctx, "original") })
			add := func(w *store.World, n int) {
				for range n {
					err := w.Write(ctx, func(tx *store.Tx) error {
						_, err := tx.InsertID("seq", "INSERT INTO log (item_id) VALUES (?)", "x")
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			}
			count := func(w *store.World) (n int64) {
				err := w.Read(ctx, func(tx *store.Tx) error {
					_, err := tx.Get("SELECT COUNT(*) FROM log", nil, &n)
					return err
				})
				if err != nil {
					t.Error(err)
				}
				return n
			}
			add(w, 20)
			var wg sync.WaitGroup
			wg.Add(1)
			go func() { defer wg.Done(); add(w, 30) }()
			if err := s.Copy(ctx, "original", "copied"); err != nil {
				t.Fatal(err)
			}
			wg.Wait()
			c, err := s.Open(ctx, "copied", schemas)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close(); _ = s.Drop(ctx, "copied") })
			had := count(c)
			if had < 20 || had > 50 {
				t.Fatalf("the copy has %d rows", had)
			}
			add(c, 5)
			if count(c) != had+5 || count(w) != 50 {
				t.Errorf("the copy has %d of %d rows, the original %d of 50", count(c), had+5, count(w))
			}
		})
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(ctx, "one", schemas)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	older := []store.Schema{{Name: "sample", Migrations: fstest.MapFS{
		"0001_init.sql": {Data: []byte(`CREATE TABLE item (id TEXT PRIMARY KEY);`)}}}}
	if _, err := s.Open(ctx, "one", older); !errors.Is(err, store.ErrNewerData) {
		t.Fatalf("opened newer data: %v", err)
	}
	if w, err = s.Open(ctx, "one", schemas); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
}

func BenchmarkWriteSQLite(b *testing.B) {
	w := storetest.SQLite(b, schemas)
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

func TestATakenValueIsTold(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		insert := func(id string, n any) error {
			return w.Write(context.Background(), func(tx *store.Tx) error {
				_, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, FALSE)", id, n)
				return err
			})
		}
		if err := insert("a", 1); err != nil {
			t.Fatal(err)
		}
		if err := insert("a", 1); !store.IsTaken(err) {
			t.Errorf("the same id again: %v", err)
		}
		if err := insert("b", nil); err == nil || store.IsTaken(err) {
			t.Errorf("a missing value: %v", err)
		}
		if store.IsTaken(nil) {
			t.Error("no error")
		}
	})
}

// Closing waits for what runs, and whoever comes later is refused: what is
// dropped or made anew under the same name is reached by nobody who had it open.
func TestAClosedWorldRefuses(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		begun, closed := make(chan bool), make(chan error)
		result := make(chan error, 1)
		go func() {
			result <- w.Write(ctx, func(tx *store.Tx) error {
				close(begun)
				select {
				case <-closed:
					return errors.New("it was closed meanwhile")
				case <-time.After(50 * time.Millisecond):
				}
				_, err := tx.Exec("INSERT INTO log (item_id) VALUES ('a')")
				return err
			})
		}()
		<-begun
		go func() { closed <- w.Close() }()
		if err := <-result; err != nil {
			t.Error(err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		never := func(*store.Tx) error { t.Error("it is used after it was closed"); return nil }
		for _, err := range []error{w.Write(ctx, never), w.Read(ctx, func(tx *store.Tx) error {
			_, err := tx.Get("SELECT 1", nil, new(int64))
			return err
		})} {
			if !errors.Is(err, store.Unavailable) {
				t.Errorf("a closed world answers %v", err)
			}
		}
	})
}
