package ingest

import (
	"context"
	"slices"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// maxShownScores bounds the scores that a session or an event shows: the latest ones.
// Scores lists all.
const maxShownScores = 100

// shownScores fills in scores, as many as fit in a reply.
type shownScores struct{ bytes int }

// add appends a score, which is older than those that are there.
func (n *shownScores) add(to []Score, s Score) []Score {
	if len(to) == maxShownScores || n.bytes >= budget.PageBytes {
		return to
	}
	n.bytes += s.size()
	return append(to, s)
}

// ShowScores fills in the scores of events, the latest last.
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
	var shown shownScores
	err := in.eachScoreOf(ctx, project, sessions, func(s Score) {
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
			e.Scores = shown.add(e.Scores, s)
		}
	})
	for _, e := range byID {
		slices.Reverse(e.Scores)
	}
	return err
}

// ShowSessionScores fills in the scores of sessions, the latest last.
func (in *Ingest) ShowSessionScores(ctx context.Context, project string, sessions []*Session) error {
	if len(sessions) == 0 {
		return nil
	}
	byID := map[string]*Session{}
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		byID[s.ID], ids[i] = s, s.ID
	}
	var shown shownScores
	err := in.eachScoreOf(ctx, project, ids, func(s Score) {
		if n := byID[s.Session]; s.Event == "" {
			n.Scores = shown.add(n.Scores, s)
		}
	})
	for _, s := range byID {
		slices.Reverse(s.Scores)
	}
	return err
}

func (in *Ingest) eachScoreOf(ctx context.Context, project string, sessions []string, fn func(s Score)) error {
	if len(sessions) == 0 || in.d.Events.Absent(ctx) {
		return nil
	}
	return in.d.Events.Read(ctx, func(tx *store.Tx) error { return scoresOf(tx, project, sessions, fn) })
}
