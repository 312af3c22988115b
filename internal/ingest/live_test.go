package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"understudy/internal/ingest"
)

var errSeen = errors.New("seen enough")

// follow collects what is stored after an event, until n events came or were left out.
func follow(t *testing.T, in *ingest.Ingest, f ingest.Filter, after int64, n int, begun func()) (names []string, left int, last int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err := in.Follow(ctx, project, f, after, func(l ingest.Live) error {
		if begun != nil {
			begun()
			begun = nil
		}
		for _, e := range l.Events {
			names = append(names, e.Name)
		}
		left, last = left+l.Left, l.Number
		if len(names)+left >= n {
			return errSeen
		}
		return nil
	})
	if !errors.Is(err, errSeen) {
		t.Fatalf("%v after %d and %d", err, len(names), left)
	}
	return names, left, last
}

func numbered(from, to int) (events []ingest.Event) {
	for i := from; i < to; i++ {
		events = append(events, ingest.Event{ID: fmt.Sprint("e", i), Session: "s", Name: fmt.Sprint("tool", i%2), Type: "tool", Time: start,
			Success: i%5 > 0, Latency: 1, InputTokens: ingest.Absent, OutputTokens: ingest.Absent})
	}
	return events
}

func TestFollowersSeeWhatIsStored(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		names, left, last := follow(t, in, ingest.Filter{}, -1, 3, func() { capture(t, in, numbered(0, 3)) })
		if fmt.Sprint(names, left) != "[tool0 tool1 tool0] 0" {
			t.Error(names, left)
		}
		capture(t, in, numbered(0, 10)) // three of them again
		if names, left, _ = follow(t, in, ingest.Filter{}, last, 7, nil); len(names) != 7 || left != 0 {
			t.Errorf("after event %d: %v, %d", last, names, left)
		}
		no := false
		if names, _, _ = follow(t, in, ingest.Filter{Success: &no}, 1, 1, nil); fmt.Sprint(names) != "[tool1]" {
			t.Error(names)
		}
		capture(t, in, numbered(10, 1010))
		if names, left, _ = follow(t, in, ingest.Filter{Names: []string{"tool1"}}, 10, 500, nil); len(names) != 200 || left != 300 {
			t.Errorf("%d shown, %d left out", len(names), left)
		}
		done := make(chan error)
		go func() { done <- in.Follow(ctx, project, ingest.Filter{}, -1, func(ingest.Live) error { return nil }) }()
		in.EndStreams()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// As many events a second are shown to a reader that takes long as to others.
func TestASlowFollowerSeesAsManyASecond(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		looks, shown, left := 0, 0, 0
		err := in.Follow(ctx, project, ingest.Filter{}, -1, func(l ingest.Live) error {
			shown, left = shown+len(l.Events), left+l.Left
			switch looks++; looks {
			case 1:
				capture(t, in, numbered(0, 200)) // all that is shown at once
			case 2:
				capture(t, in, numbered(200, 350))
				time.Sleep(time.Second)
			default:
				return errSeen
			}
			return nil
		})
		if !errors.Is(err, errSeen) || shown != 350 || left != 0 {
			t.Errorf("%d shown, %d left out: %v", shown, left, err)
		}
	})
}

// What is erased while a look is under way was not left out.
func TestFollowersAreNotToldOfWhatIsErased(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		const sessions = 120
		var events []ingest.Event
		for i := range sessions {
			e := numbered(i, i+1)[0]
			e.Session = fmt.Sprint("s", i)
			events = append(events, e)
		}
		capture(t, in, events)
		erased := make(chan error, 1)
		go func() {
			for i := range sessions {
				if _, err := in.Erase(ctx, project, ingest.Erased{Sessions: []string{fmt.Sprint("s", i)}}); err != nil {
					erased <- err
					return
				}
			}
			erased <- nil
		}()
		for {
			_ = in.Follow(ctx, project, ingest.Filter{}, 0, func(l ingest.Live) error {
				if l.Left > 0 {
					t.Errorf("%d shown and %d left out", len(l.Events), l.Left)
				}
				return errSeen
			})
			select {
			case err := <-erased:
				if err != nil {
					t.Error(err)
				}
				return
			default:
			}
		}
	})
}
