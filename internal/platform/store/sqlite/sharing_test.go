package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"understudy/internal/platform/store"
)

// Names of one file come and go, are opened, written to, copied and read, all
// at once. Each world stays whole, and holds what was in it and nothing else.
func TestNamesOfOneFileAtOnce(t *testing.T) {
	s := newFixture(t, t.TempDir())
	ctx := context.Background()
	parent := s.made("parent", "")
	for n := range 200 {
		s.write(parent, fmt.Sprint("parent ", n))
	}
	s.copied("parent", "base")
	s.copied("parent", "seen")
	whole := func(w *store.World, mine string) error {
		return w.Read(ctx, func(tx *store.Tx) error {
			var verdict string
			var others int64
			if _, err := tx.Get("PRAGMA integrity_check", nil, &verdict); err != nil || verdict != "ok" {
				return errors.Join(err, errors.New(verdict))
			}
			_, err := tx.Get("SELECT count(*) FROM note WHERE text NOT LIKE 'parent %' AND text NOT LIKE ?", []any{mine + " %"}, &others)
			if err == nil && others > 0 {
				err = fmt.Errorf("%s holds %d notes of others", mine, others)
			}
			return err
		})
	}
	rested := func(w *store.World, really bool) error {
		if really {
			w.Suspend()
		}
		return nil
	}
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for n := range 25 {
				name := fmt.Sprintf("w%d_%d", worker, n)
				from := []string{"parent", "base"}[n%2]
				w, err := s.Create(ctx, name, from, notes)
				if err == nil {
					err = errors.Join(w.Write(ctx, func(tx *store.Tx) error {
						_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", name+" x")
						return err
					}), whole(w, name), w.MakeDurable(ctx), rested(w, n%2 == 0), s.Copy(ctx, name, name+"_copy"), rested(parent, n%5 == 0), whole(parent, "parent"))
				}
				if err == nil && n%3 == 0 {
					err = w.Discard()
				} else if err == nil {
					err = w.Close()
				}
				if err == nil {
					if w, err = s.Open(ctx, name+"_copy", notes); err == nil {
						err = errors.Join(whole(w, name), w.Close())
					}
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	for name, open := range map[string]func(context.Context, string, []store.Schema) (*store.World, error){
		"base": s.Open,     // one that reads the copy from which others begin
		"seen": s.OpenCopy, // one that reads a copy as a comparison does
	} {
		wg.Go(func() {
			for range 60 {
				w, err := open(ctx, name, notes)
				if err == nil {
					err = errors.Join(whole(w, "parent"), w.Close())
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for n := range 200 {
			s.write(parent, fmt.Sprint("parent again ", n))
		}
	})
	wg.Wait()
	s.check(whole(parent, "parent"))
	s.check(parent.Close())
}
