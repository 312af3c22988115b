package sqlite

import (
	"context"

	"understudy/internal/platform/store"
)

const (
	// maxVacuum is how many pages a file may have in use to be written anew when
	// space is given back: writes wait meanwhile, about half a second.
	maxVacuum = 32 << 20 / 4096
	// minFree is the number of free pages below which giving them back is no gain.
	minFree = 64
)

// Compact implements store.Backend. It writes a small file anew once a quarter of
// it is free. To scrub it writes the log back and empties it: where deleting
// overwrites, the file then holds nothing that was deleted. A file that also
// belongs to copies is replaced by one of the world's own first.
func (w *world) Compact(_ context.Context, scrub bool) error {
	if w.db != nil {
		return nil
	}
	return w.alone(func() error {
		pages, free, err := w.pages()
		if err != nil {
			return err
		}
		vacuum := free >= minFree && 4*free >= pages && pages-free <= maxVacuum && (scrub || !w.shared)
		if !scrub && !vacuum {
			return nil
		}
		if w.shared {
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
			return store.Unavailable // a reader still needs the log: try again later
		}
		return nil
	})
}

// pages returns the number of pages of the file, and of those that are free.
func (w *world) pages() (all, free int64, err error) {
	tx := store.NewTx(w.writer, store.SQLite)
	if _, err = tx.Get("PRAGMA page_count", nil, &all); err == nil {
		_, err = tx.Get("PRAGMA freelist_count", nil, &free)
	}
	return all, free, err
}
