package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/trace"
)

var _ environment.Tracer = (*ingestInstance)(nil)

// Trace returns a session with the events that its agent reported.
func (i *ingestInstance) Trace(ctx context.Context, session string, begin func(events int)) (*trace.Session, error) {
	var links []linksOf
	s, roots, err := ingest.Report(ctx, i.in, session, trace.MaxEvents, begin, func(number int64, metadata string) {
		links = append(links, linksOf{number, trace.ReadLinks(metadata)})
	})
	switch {
	case errors.Is(err, ingest.SessionNotFound):
		return nil, trace.NotFound
	case errors.Is(err, ingest.ErrTooManyEvents):
		return nil, trace.TooLarge.Detailf("The session has more than %d events.", trace.MaxEvents)
	case err != nil:
		return nil, err
	}
	slices.SortFunc(links, func(a, b linksOf) int { return cmp.Compare(a.number, b.number) })
	return &trace.Session{ID: s.ID, User: s.User, Roots: reported(roots, links), World: ingestWorld, Table: blockstore.Table}, nil
}

// linksOf is the metadata of an event that refers to its requests.
type linksOf struct {
	number int64 // of the event
	trace.Links
}

// reported converts events for a trace. links are in the order of their numbers.
func reported(nodes []*ingest.Node, links []linksOf) []*trace.Event {
	out, all := make([]*trace.Event, len(nodes)), make([]trace.Event, len(nodes))
	for i, n := range nodes {
		at, _ := slices.BinarySearchFunc(links, n.Number(), func(l linksOf, number int64) int { return cmp.Compare(l.number, number) })
		out[i] = &all[i]
		all[i] = trace.Event{ID: n.ID, Name: n.Name, Type: n.Type, Model: n.Model, Success: n.Success, Time: n.Time, Untimed: n.Untimed,
			Latency: n.Latency, InputTokens: n.InputTokens, OutputTokens: n.OutputTokens, Number: n.Number(), Links: links[at].Links,
			Children: reported(n.Children, links)}
	}
	return out
}
