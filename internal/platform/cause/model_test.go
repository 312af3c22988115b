package cause_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var things = []store.Schema{{Name: "things", Tables: map[string]store.Class{"note": store.WorldClass, "tag": store.WorldClass},
	Migrations: fstest.MapFS{"0001_things.sql": {Data: []byte(`
		CREATE TABLE note (owner TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, title TEXT NOT NULL, hidden BOOLEAN NOT NULL, PRIMARY KEY (owner, id));
		CREATE TABLE tag (name TEXT NOT NULL, kind BIGINT NOT NULL, weight BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (name, kind)) WITHOUT ROWID`)}}}}

var entities = []diff.Entity{
	{Service: "s", Name: "note", Table: "note", Key: []string{"owner", "id"}, Gone: func(r diff.Row) bool { return r.Bool("hidden") }, Columns: map[string]diff.Column{
		"owner": diff.As("owner", diff.Text), "id": diff.As("id", diff.Text), "body": diff.As("body", diff.Text), "title": diff.As("title", diff.Text),
		"hidden": diff.Used("marks what is gone")}},
	{Service: "s", Name: "tag", Table: "tag", Key: []string{"name", "kind"}, NoRowID: true, Columns: map[string]diff.Column{
		"name": diff.As("name", diff.Text), "kind": diff.As("kind", diff.Int), "weight": diff.As("weight", diff.Int), "version": diff.Out("for caches")}},
}

// world is a world with a journal, and a copy of it as it was at first.
type world struct {
	store   store.Store
	now     *store.World
	journal *cause.Journal
	copies  int
}

func open(t *testing.T, url, name string) *world {
	t.Helper()
	s, err := storetest.Open(t.Context(), url, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Open(t.Context(), name, things)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{store: s, now: now, journal: cause.New(cause.NewTables(entities))}
	now.Watch(w.journal.World(""))
	t.Cleanup(func() {
		_ = now.Close()
		ctx := context.Background()
		for i := range w.copies {
			_ = s.Drop(ctx, fmt.Sprintf("%s_copy%d", name, i+1))
		}
		_ = s.Drop(ctx, name)
		_ = s.Close()
	})
	return w
}

// copy copies the world and returns the copy's name.
func (w *world) copy(t *testing.T) string {
	t.Helper()
	w.copies++
	name := fmt.Sprintf("%s_copy%d", w.now.Name, w.copies)
	w.journal.Expect(name, func(string) string { return name })
	if err := w.store.Copy(context.Background(), w.now.Name, name); err != nil {
		t.Fatal(err)
	}
	return name
}

func by(seq int64) context.Context {
	return cause.WithAuthor(context.Background(), store.Author{Seq: seq})
}

func (w *world) write(t *testing.T, seq int64, sql string, args ...any) {
	t.Helper()
	err := w.now.Write(by(seq), func(tx *store.Tx) error { _, err := tx.Exec(sql, args...); return err })
	if err != nil {
		t.Fatal(err)
	}
}

// diff returns the changes from one copy to another; "" is now.
func (w *world) diff(t *testing.T, from, to string) map[string]diff.Change {
	t.Helper()
	ctx := context.Background()
	open := func(name string) *store.World {
		if name == "" {
			return w.now
		}
		c, err := w.store.OpenCopy(ctx, name, things)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := open(from), open(to)
	var found *diff.Changes
	err := diff.Read(ctx, entities, map[string]*store.World{"": a}, map[string]*store.World{"": b}, w.journal.Between(from, to), func(r *diff.Reading) (err error) {
		found, err = r.Compare(diff.Options{Limit: 10_000, Cause: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*store.World{a, b} {
		if c != w.now {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := map[string]diff.Change{}
	for op, list := range map[string][]diff.Change{"+": found.Inserts, "~": found.Updates, "-": found.Deletes} {
		for _, c := range list {
			out[op+c.Entity+" "+c.Key] = c
		}
	}
	return out
}

func writers(c diff.Change) (out []int64) {
	for _, w := range c.Cause.Writers {
		out = append(out, w.Seq)
	}
	return out
}

// model is what writes did to rows, each write with its number.
type model struct {
	mu   sync.Mutex
	rows map[string]*modelRow
}

type modelRow struct {
	fields map[string]string // nil: not there
	writes []modelWrite
}

type modelWrite struct {
	seq    int64
	op     store.Op
	fields []string // of an update
}

// TestCausesAgreeWithAModel changes rows at random, by many writers at once, and
// compares who wrote what with a model that each writer keeps in its own write.
func TestCausesAgreeWithAModel(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { t.Parallel(); compareWithModel(t, seed) })
	}
}

func compareWithModel(t *testing.T, seed uint64) {
	w := open(t, "", "model")
	m := &model{rows: map[string]*modelRow{}}
	var next int64
	round := func(writers, each int) {
		var wg sync.WaitGroup
		for i := range writers {
			first := next + int64(i*each) + 1
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(first)))
				for n := range int64(each) {
					m.change(t, w, r, first+n)
				}
			})
		}
		wg.Wait()
		next += int64(writers * each)
	}
	round(4, 20)
	from := w.copy(t)
	start := m.snapshot()
	round(4, 30)
	to := w.copy(t)
	middle := m.snapshot()
	round(2, 20)
	compare(t, start, middle, w.diff(t, from, to))
	compare(t, middle, m.snapshot(), w.diff(t, to, ""))
	compare(t, start, m.snapshot(), w.diff(t, from, ""))
}

// snapshot returns the rows as they are, with how many writes each has had.
func (m *model) snapshot() map[string]modelRow {
	out := map[string]modelRow{}
	for k, r := range m.rows {
		out[k] = modelRow{maps.Clone(r.fields), slices.Clone(r.writes)}
	}
	return out
}

// compare compares a diff with what the model knows of both states.
func compare(t *testing.T, from, to map[string]modelRow, got map[string]diff.Change) {
	t.Helper()
	want := map[string][]diff.Writer{}
	for key, now := range to {
		was := from[key]
		var list []diff.Writer
		var changed []string
		for f, v := range now.fields {
			if was.fields[f] != v {
				changed = append(changed, f)
			}
		}
		op := "~"
		switch {
		case was.fields == nil && now.fields == nil, was.fields != nil && now.fields != nil && len(changed) == 0:
			continue
		case was.fields == nil:
			op = "+"
		case now.fields == nil:
			op = "-"
		}
		add := func(seq int64) {
			if !slices.ContainsFunc(list, func(w diff.Writer) bool { return w.Seq == seq }) {
				list = append(list, diff.Writer{Seq: seq})
			}
		}
		// What a row was written by before it went or came again does not count.
		writes := now.writes[len(was.writes):]
		first, last := 0, len(writes)
		for i, x := range writes {
			if x.op == store.Deleted && last == len(writes) {
				last = i
			}
			if x.op == store.Inserted {
				first = i
			}
		}
		for i := len(writes) - 1; i >= 0; i-- {
			x := writes[i]
			counts := i >= first && now.fields != nil || i <= last && was.fields != nil
			shows := x.op != store.Updated || op != "~" && len(x.fields) > 0 || slices.ContainsFunc(x.fields, func(f string) bool { return slices.Contains(changed, f) })
			if counts && shows {
				add(x.seq)
			}
		}
		want[op+key] = list
	}
	for key, c := range got {
		var seqs []int64
		for _, x := range want[key] {
			seqs = append(seqs, x.Seq)
		}
		if !reflect.DeepEqual(writers(c), seqs) || !c.Cause.Exact {
			t.Errorf("%s: written by %v (exact %v), want %v", key, writers(c), c.Cause.Exact, seqs)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d changes, the model has %d", len(got), len(want))
	}
}

var errUndone = errors.New("undone")

// change makes one write of up to three changes, which is undone now and then.
func (m *model) change(t *testing.T, w *world, r *rand.Rand, seq int64) {
	type effect struct {
		key   string
		write modelWrite
		set   func(*modelRow)
	}
	var effects []effect
	undo := r.IntN(6) == 0
	seed := r.Uint64()
	err := w.now.Write(by(seq), func(tx *store.Tx) error {
		r := rand.New(rand.NewPCG(seed, 0)) // the write may run again
		effects = nil
		for range 1 + r.IntN(3) {
			name, value := fmt.Sprint(r.IntN(12)), fmt.Sprint(seq, r.IntN(100))
			note := r.IntN(2) == 0
			key := "tag " + name + "/1"
			if note {
				key = "note o/" + name
			}
			there := false
			sql := `SELECT COUNT(*) > 0 FROM tag WHERE name = ?`
			if note {
				sql = `SELECT COUNT(*) > 0 FROM note WHERE id = ?`
			}
			if _, err := tx.Get(sql, []any{name}, &there); err != nil {
				return err
			}
			exec := func(write modelWrite, set func(*modelRow), sql string, args ...any) error {
				effects = append(effects, effect{key, write, set})
				_, err := tx.Exec(sql, args...)
				return err
			}
			whole := func(fields map[string]string) func(*modelRow) {
				return func(row *modelRow) { row.fields = fields }
			}
			field := func(name, value string) func(*modelRow) {
				return func(row *modelRow) { row.fields[name] = value }
			}
			var err error
			switch what := r.IntN(6); {
			case !there && note:
				err = exec(modelWrite{seq, store.Inserted, nil}, whole(map[string]string{"body": value, "title": ""}), `INSERT INTO note VALUES ('o', ?, ?, '', FALSE)`, name, value)
			case !there:
				err = exec(modelWrite{seq, store.Inserted, nil}, whole(map[string]string{"weight": fmt.Sprint(seq)}), `INSERT INTO tag VALUES (?, 1, ?, 0)`, name, seq)
			case what == 0 && note:
				err = exec(modelWrite{seq, store.Deleted, nil}, whole(nil), `DELETE FROM note WHERE id = ?`, name)
			case what == 0:
				err = exec(modelWrite{seq, store.Deleted, nil}, whole(nil), `DELETE FROM tag WHERE name = ?`, name)
			case what == 1 && note: // another rowid
				effects = append(effects, effect{key, modelWrite{seq, store.Deleted, nil}, whole(nil)})
				err = exec(modelWrite{seq, store.Inserted, nil}, whole(map[string]string{"body": value, "title": "again"}), `INSERT OR REPLACE INTO note VALUES ('o', ?, ?, 'again', FALSE)`, name, value)
			case what == 2 && note:
				err = exec(modelWrite{seq, store.Updated, []string{"title"}}, field("title", value), `UPDATE note SET title = ? WHERE owner = 'o' AND id = ?`, value, name)
			case note:
				err = exec(modelWrite{seq, store.Updated, []string{"body"}}, field("body", value), `UPDATE note SET body = ? WHERE owner = 'o' AND id = ?`, value, name)
			case what == 3:
				err = exec(modelWrite{seq, store.Updated, nil}, func(*modelRow) {}, `UPDATE tag SET version = version + 1 WHERE name = ?`, name)
			default:
				err = exec(modelWrite{seq, store.Updated, []string{"weight"}}, field("weight", fmt.Sprint(seq)), `UPDATE tag SET weight = ? WHERE name = ?`, seq, name)
			}
			if err != nil {
				return err
			}
		}
		if undo {
			return errUndone
		}
		tx.AfterCommit(func() { // in the order of commits
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, e := range effects {
				row := m.rows[e.key]
				if row == nil {
					row = &modelRow{}
					m.rows[e.key] = row
				}
				e.set(row)
				row.writes = append(row.writes, e.write)
			}
		})
		return nil
	})
	if err != nil && !errors.Is(err, errUndone) {
		t.Error(err)
	}
}
