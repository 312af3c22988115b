package graph

import (
	"understudy/internal/tracker/graph/engine"
)

// newEngine binds the schema. Its error lists unbound fields and invalid
// bindings.
func newEngine(o engine.Options) (*engine.Engine, error) {
	b, err := engine.NewBuilder(SDL)
	if err != nil {
		return nil, err
	}
	bindScalars(b)
	bindAreas(b)
	l := newLoaders()
	bindPeople(b, l)
	bindTeam(b, l)
	bindState(b, l)
	bindLabel(b, l)
	bindIssue(b, l)
	bindIssueQueries(b)
	bindIssueMutations(b)
	bindComment(b, l)
	bindCycle(b, l)
	bindProject(b, l)
	bindWebhook(b, l)
	bindDeleted(b)
	bindLimits(b)
	return b.Build(o)
}
