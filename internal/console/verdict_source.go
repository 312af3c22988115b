package console

import (
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict"
)

// recordedSource is an environment's recordings and journal as a verdict.Source.
type recordedSource struct {
	env   *environment.Environment
	known map[int64]verdict.Writer // cache, by the number of the request
}

func sourceOf(env *environment.Environment) *recordedSource {
	env.Recorder.ReadOlder()
	return &recordedSource{env, map[int64]verdict.Writer{}}
}

// Writers returns the requests that wrote a change.
func (s *recordedSource) Writers(ch *diff.Change) (list []verdict.Writer, exact, complete bool) {
	if ch.Cause == nil {
		return nil, false, false
	}
	for _, w := range ch.Cause.Writers {
		one := s.writer(w)
		one.Fields = w.Fields
		list = append(list, one)
	}
	return list, ch.Cause.Exact, ch.Cause.Complete
}

func (s *recordedSource) writer(w diff.Writer) verdict.Writer {
	if one, ok := s.known[w.Seq]; ok && w.Seq != 0 {
		return one
	}
	one := verdict.Writer{Seq: w.Seq, Actor: verdict.Actor{Kind: record.Actor(w.Kind).String()}}
	if w.Seq != 0 {
		if x, ok := record.Outline(s.env.Recorder, w.Seq); ok {
			one.Operation, one.Actor.Service, one.Actor.ID = strings.Join(x.Operations, ", "), x.Service, x.ActorID
		}
		s.known[w.Seq] = one
	}
	return one
}

// Requests returns the recorded requests, oldest first.
func (s *recordedSource) Requests(bodies bool) (list []verdict.Request, complete bool) {
	all := s.env.Recorder.List(record.Filter{Ascending: true, Outline: !bodies, Limit: record.Full.Lines})
	list = make([]verdict.Request, len(all))
	for i := range all {
		x := &all[i]
		list[i] = verdict.Request{Seq: x.Seq, Service: x.Service, Operations: x.Operations, Status: x.Status, Tool: x.Tool, Parent: x.Parent, Path: x.Path, Query: x.Query, Body: x.Body, Reply: x.Reply,
			Actor:   verdict.Actor{Kind: x.Actor.String(), Service: x.Service, ID: x.ActorID},
			Dropped: x.Dropped || len(x.Body) >= record.MaxBody || len(x.Reply) >= record.MaxBody}
	}
	lost, _ := s.env.Recorder.Lost()
	return list, lost == 0
}
