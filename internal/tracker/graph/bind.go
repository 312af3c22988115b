package graph

import (
	"understudy/internal/tracker/graph/engine"
)

// stubs are types of areas that the service does not have: links to them are null.
var stubs = []string{"ActorBot", "AgentSession", "AiPromptRules", "Document", "DocumentContent", "ExternalEntityInfo",
	"ExternalEntityInfoGithubMetadata", "ExternalEntityInfoJiraMetadata", "ExternalEntitySlackMetadata", "ExternalUser", "Favorite",
	"Initiative", "InitiativeUpdate", "Integration", "IntegrationsSettings", "PaidSubscription", "ProjectMilestone", "ProjectUpdate", "Reaction",
	"SyncedExternalThread", "TeamMembership", "Template", "TriageResponsibility", "WelcomeMessage"}

// newEngine binds the schema. Every field must be bound, or the program does not start.
func newEngine(o engine.Options) (*engine.Engine, error) {
	b, err := engine.NewBuilder(SDL)
	if err != nil {
		return nil, err
	}
	bindScalars(b)
	b.Stub(stubs...)
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
