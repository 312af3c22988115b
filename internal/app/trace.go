package app

import (
	"context"
	"errors"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/trace"
)

var _ environment.Tracer = (*ingestInstance)(nil)

// Trace returns a session as its agent reported it.
func (i *ingestInstance) Trace(ctx context.Context, session string) (*trace.Session, error) {
	links := map[int64]trace.Links{}
	s, roots, err := ingest.Report(ctx, i.in, session, trace.MaxEvents, func(number int64, metadata string) { links[number] = trace.ReadLinks(metadata) })
	switch {
	case errors.Is(err, ingest.SessionNotFound):
		return nil, trace.NotFound
	case errors.Is(err, ingest.ErrTooManyEvents):
		return nil, trace.TooLarge.Detailf("The session has more than %d events.", trace.MaxEvents)
	case err != nil:
		return nil, err
	}
	return &trace.Session{ID: s.ID, User: s.User, Roots: reported(roots, links), World: ingestWorld, Table: blockstore.Table}, nil
}

// reported returns events as a trace has them.
func reported(nodes []*ingest.Node, links map[int64]trace.Links) []*trace.Event {
	out := make([]*trace.Event, len(nodes))
	for i, n := range nodes {
		out[i] = &trace.Event{ID: n.ID, Name: n.Name, Type: n.Type, Model: n.Model, Success: n.Success, Time: n.Time, Untimed: n.Untimed,
			Latency: n.Latency, InputTokens: n.InputTokens, OutputTokens: n.OutputTokens, Number: n.Number(), Links: links[n.Number()],
			Children: reported(n.Children, links)}
	}
	return out
}
