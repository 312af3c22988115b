package sqlite

import (
	"context"

	"understudy/internal/platform/store"
)

const (
	// maxVacuum is the most used pages of a file that Compact rewrites: writes wait
	// for that, about half a second.
	maxVacuum = 32 << 20 / 4096
	// minFree is the number of free pages below which compacting does not pay.
	minFree = 64
)

// Compact implements store.Backend. It rewrites a small file if a quarter of it
// is free. To scrub, it runs a checkpoint and truncates the log: if deleting
// overwrites, the file then contains no deleted data. If the file also belongs to
// copies, the world first gets its own file.
func (w *world) Compact(_ context.Context, scrub bool) error {
	if w.db != nil {
		return nil
	}
	return w.alone(func() error {
		if err := w.resume(); err != nil {
			return err
		}
		pages, free, err := w.pages()
		if err != nil {
			return err
		}
		vacuum := free >= minFree && 4*free >= pages && pages-free <= maxVacuum && (scrub || !w.shared.Load())
		if !scrub && !vacuum {
			return nil
		}
		if w.shared.Load() {
			if err := w.unshare(); err != nil {
				return store.Unavailable.Because(err)
			}
		}
		if vacuum {
			w.writer.forget()
			w.dirty = true
			if w.witness != nil {
				w.witness.Renumbered()
			}
			if err := w.writer.runAnew("VACUUM"); err != nil {
				return wrap("VACUUM", err)
			}
		}
		if err := w.writeBack(); err != nil {
			return wrap("checkpoint", err)
		}
		if scrub && w.dirty {
			return store.Unavailable // a reader still needs the log: retry later
		}
		return nil
	})
}

// pages returns the numbers of all and of free pages of the file.
func (w *world) pages() (all, free int64, err error) {
	tx := store.NewTx(w.writer, store.SQLite)
	if _, err = tx.Get("PRAGMA page_count", nil, &all); err == nil {
		_, err = tx.Get("PRAGMA freelist_count", nil, &free)
	}
	return all, free, err
}
