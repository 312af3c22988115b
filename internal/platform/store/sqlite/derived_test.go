package sqlite

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"understudy/internal/platform/store"
)

// A write is durable when it has returned, whichever derived writes stand beside
// it in the queue; those do not wait for the disk.
func TestDerivedWritesAloneDoNotWaitForTheDisk(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.opened("w")
	const normal, full = 1, 2
	write := func(derived bool, i int) error {
		run, least, most := w.Write, int64(full), int64(full)
		if derived {
			run, least = w.WriteDerived, normal // one that joins a durable batch waits with it
		}
		return run(context.Background(), func(tx *store.Tx) error {
			var level int64
			// Each is prepared anew, because the level is read when a statement is prepared.
			if _, err := tx.Get(fmt.Sprint("PRAGMA synchronous -- ", i), nil, &level); err != nil {
				return err
			}
			if level < least || level > most {
				return fmt.Errorf("derived %v: synchronous is %d", derived, level)
			}
			_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", fmt.Sprint(i))
			return err
		})
	}
	var wg sync.WaitGroup
	for i := range 400 {
		wg.Go(func() {
			if err := write(i%3 == 0, i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
