package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// fill writes n texts of a page each, in as many commits.
func (s fixture) fill(w *store.World, from, n int) {
	s.t.Helper()
	for i := from; i < from+n; i++ {
		s.check(w.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", fmt.Sprintf("%06d%s", i, strings.Repeat("x", 4000)))
			return err
		}))
	}
}

// A long log is written back while others write, and begins anew.
func TestALongLogBeginsAnew(t *testing.T) {
	const at, commits = 60, 400
	s := newFixture(t, t.TempDir())
	open := s.made("one", "")
	w := open.Backend().(*world)
	w.checkpointAt = at
	most, again, before := 0, 0, 0
	for i := range commits {
		s.fill(open, i, 1)
		w.writing.Lock()
		pages := native.LogPages(w.writer.db)
		w.writing.Unlock()
		most = max(most, pages)
		if pages < before {
			again++
		}
		before = pages
		for w.rounds.state.Load() == inRounds {
			time.Sleep(time.Millisecond)
		}
	}
	if again < 3 || most > 2*at {
		t.Errorf("the log began anew %d times and had up to %d pages", again, most)
	}
	s.check(open.Close())
	s.hasNotes("one", commits)
}

// A reader that needs the log prevents it from beginning anew, but not the writes.
func TestALogThatIsReadGrows(t *testing.T) {
	const at = 60
	s := newFixture(t, t.TempDir())
	open := s.made("one", "")
	w := open.Backend().(*world)
	w.checkpointAt = at
	s.fill(open, 0, 10)
	w.crowded.Store(true) // the read uses a connection of its own
	s.check(open.Read(context.Background(), func(tx *store.Tx) error {
		count := func() (n int64) {
			_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
			s.check(err)
			return n
		}
		before := count()
		s.fill(open, 10, 200)
		if n := count(); n != before {
			t.Errorf("the snapshot had %d notes, then %d", before, n)
		}
		return nil
	}))
	w.writing.Lock()
	pages := native.LogPages(w.writer.db)
	w.writing.Unlock()
	if pages < 200 {
		t.Errorf("the log has %d pages while it is read", pages)
	}
	s.check(open.Close())
	s.hasNotes("one", 210)
}

// Copies and forks that are made while others write and the log is written back
// are complete: each contains what was written before it, and is well-formed.
func TestCopiesBesideACheckpoint(t *testing.T) {
	s := newFixture(t, t.TempDir())
	open := s.made("one", "")
	w := open.Backend().(*world)
	w.checkpointAt = 40
	var stop atomic.Bool
	var written atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				err := open.Write(context.Background(), func(tx *store.Tx) error {
					_, err := tx.Exec("INSERT INTO note (text) VALUES (?)", strings.Repeat("y", 4000))
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				written.Add(1)
			}
		})
	}
	for i := range 12 {
		for n := written.Load(); written.Load() < n+60 && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		name := fmt.Sprintf("copy%d", i)
		least := written.Load()
		if i%2 == 0 {
			s.check(s.Copy(context.Background(), "one", name))
		} else {
			fork := s.made(name, "one")
			s.check(fork.Close())
		}
		s.hasNotes(name, least)
	}
	stop.Store(true)
	wg.Wait()
	s.check(open.Close())
	s.hasNotes("one", written.Load())
}

// hasNotes opens a closed world, checks that its file is well-formed and has at
// least some notes, and closes it.
func (s fixture) hasNotes(name string, least int64) {
	s.t.Helper()
	w, err := s.Open(context.Background(), name, notes)
	s.check(err)
	var text string
	var n int64
	s.check(w.Read(context.Background(), func(tx *store.Tx) error {
		if _, err := tx.Get("PRAGMA integrity_check", nil, &text); err != nil {
			return err
		}
		_, err := tx.Get("SELECT count(*) FROM note", nil, &n)
		return err
	}))
	if text != "ok" || n < least {
		s.t.Errorf("%s: %s, %d notes of %d", name, text, n, least)
	}
	s.check(w.Close())
}
