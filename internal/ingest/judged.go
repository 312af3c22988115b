package ingest

import (
	"context"

	"understudy/internal/platform/store"
)

// ShowScores fills in the scores of events.
func (in *Ingest) ShowScores(ctx context.Context, project string, events []*Event) error {
	var sessions []string
	seen := map[string]bool{}
	for i, e := range events {
		if i > 0 && e.Session == events[i-1].Session {
			continue
		}
		if !seen[e.Session] {
			seen[e.Session] = true
			sessions = append(sessions, e.Session)
		}
	}
	var byID map[string]*Event // created for the first score: most events have none
	return in.eachScoreOf(ctx, project, sessions, func(s Score) {
		if s.Event == "" {
			return
		}
		if byID == nil {
			byID = make(map[string]*Event, len(events))
			for _, e := range events {
				byID[e.ID] = e
			}
		}
		if e := byID[s.Event]; e != nil {
			e.Scores = append(e.Scores, s)
		}
	})
}

// ShowSessionScores fills in the scores of sessions.
func (in *Ingest) ShowSessionScores(ctx context.Context, project string, sessions []*Session) error {
	if len(sessions) == 0 {
		return nil
	}
	byID := map[string]*Session{}
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		byID[s.ID], ids[i] = s, s.ID
	}
	return in.eachScoreOf(ctx, project, ids, func(s Score) {
		if n := byID[s.Session]; s.Event == "" {
			n.Scores = append(n.Scores, s)
		}
	})
}

func (in *Ingest) eachScoreOf(ctx context.Context, project string, sessions []string, fn func(s Score)) error {
	if len(sessions) == 0 || in.d.Events.Absent(ctx) {
		return nil
	}
	return in.d.Events.Read(ctx, func(tx *store.Tx) error { return scoresOf(tx, project, sessions, fn) })
}
