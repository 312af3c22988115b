package cause

import (
	"context"

	"understudy/internal/platform/store"
)

// witness is the journal of one world. It implements store.Witness.
type witness struct {
	j      *Journal
	world  string
	tables map[string]store.Noted
}

func (w *witness) Author(ctx context.Context) store.Author { return AuthorOf(ctx) }

func (w *witness) Table(name string) store.Noted { return w.tables[name] }

func (w *witness) Columns(sql string) uint16 { return w.j.tables.parse(sql).set }

func (w *witness) Prepare(tx *store.Tx) error {
	if w.world != "" {
		return nil
	}
	if unmark := w.j.unmark.Load(); unmark != nil {
		return (*unmark)(tx)
	}
	return nil
}

func (w *witness) Begin() { w.j.commits.RLock() }

func (w *witness) End(changes []store.Change) {
	if len(changes) > 0 {
		w.j.add(changes)
		if w.world == "" && w.j.unmark.Load() != nil {
			w.j.unmark.Store(nil)
		}
	}
	w.j.commits.RUnlock()
}

func (w *witness) Copy(to string, snapshot func() error) error {
	w.j.commits.Lock()
	defer w.j.commits.Unlock()
	if err := snapshot(); err != nil {
		return err
	}
	w.j.copied(w.world, to)
	return nil
}

func (w *witness) Renumbered() { w.j.Void(w.world) }
