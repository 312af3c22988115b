package ingest_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store/storetest"
)

// countingStore counts the sums by session that are asked of a store.
type countingStore struct {
	*blockstore.Store
	bySession int
}

func (s *countingStore) Sum(ctx context.Context, q ingest.Sum) ([]ingest.Group, error) {
	if q.By == ingest.BySession {
		s.bySession++
	}
	return s.Store.Sum(ctx, q)
}

// Sessions that have a certain event are counted with one look at the events,
// however many pages the sessions fill: with one for each page the overview of
// 100,000 sessions took minutes.
func TestSessionsAreCountedWithOneLookAtTheEvents(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	log := slog.New(slog.DiscardHandler)
	events := &countingStore{Store: blockstore.Open(w, log)}
	in := ingest.New(ingest.Deps{Events: w, Store: events, Upkeep: events.Upkeep, Clock: clock.At(time.UnixMilli(start).Add(72 * time.Hour)), IDs: ids.Seeded(1, 0), Log: log})
	defer events.Close()
	defer in.Close()
	const sessions = 17_000 // three pages
	var all []ingest.Event
	for i := range sessions {
		all = append(all, ingest.Event{Session: fmt.Sprint("s", i), Name: fmt.Sprint("tool", i%2), Type: "tool", Time: start + int64(i), Success: true, Latency: ingest.Absent,
			InputTokens: ingest.Absent, OutputTokens: ingest.Absent})
	}
	capture(t, in, all)
	now, _, err := in.Overview(ctx, project, ingest.Filter{Tools: []string{"tool1"}})
	if err != nil || now.Sessions != sessions/2 || events.bySession != 1 {
		t.Errorf("%d sessions, %d sums by session: %v", now.Sessions, events.bySession, err)
	}
	few, more, err := in.Sessions(ctx, project, ingest.Filter{Tools: []string{"tool1"}}, ingest.SessionPosition{}, 2000)
	if err != nil || !more || len(few) != 2000 {
		t.Errorf("a page of %d sessions, more %v: %v", len(few), more, err)
	}
}
