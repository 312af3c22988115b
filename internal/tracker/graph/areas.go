package graph

import (
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// stubs are types of areas that the service does not have. Clients select links
// to them, which are null. Node types of connections that are always empty are
// stubs too, but need not be listed.
var stubs = []string{
	"ActorBot", "AgentActivity", "AgentActivityActionContent", "AgentActivityConnection", "AgentActivityEdge",
	"AgentActivityElicitationContent", "AgentActivityErrorContent", "AgentActivityPromptContent", "AgentActivityResponseContent",
	"AgentActivityThoughtContent", "AgentSession", "AgentSessionExternalLink", "AiPromptRules", "CustomView", "Customer",
	"CustomerNeedNotification", "CustomerNotification", "DocumentContent", "DocumentNotification", "DraftGenerationMetadata",
	"ExternalEntityInfo", "ExternalEntityInfoGithubMetadata", "ExternalEntityInfoJiraMetadata", "ExternalEntitySlackMetadata",
	"ExternalUser", "Favorite", "GitAutomationTargetBranch", "InitiativeNotification", "InitiativeUpdate",
	"InitiativeUpdateConnection", "InitiativeUpdateEdge", "IntegrationsSettings", "IssueImport", "IssueNotification",
	"IssueRelationHistoryPayload", "Milestone", "NotificationDeliveryPreferencesChannel", "NotificationDeliveryPreferencesDay",
	"NotificationDeliveryPreferencesSchedule", "NotificationSubscription", "OauthClientApproval",
	"OauthClientApprovalNotification", "OrganizationIpRestriction", "PaidSubscription", "PostNotification", "ProductAnnouncement",
	"ProductAnnouncementNotification", "ProjectNotification", "PullRequestNotification", "Reaction", "ReleaseNote",
	"ReleaseStage", "SyncedExternalThread", "TeamPinnedResource", "TeamResourceSection", "TriageResponsibility", "UsageAlert",
	"UsageAlertNotification", "UserSettingsCustomSidebarTheme", "UserSettingsCustomTheme", "UserSettingsTheme", "WelcomeMessage",
	"WelcomeMessageNotification", "WorkflowDefinitionNotification", "WorkspaceAnnouncementNotification",
}

// bindAreas binds the queries of areas that the service does not have: lists are
// empty, and every id is unknown.
func bindAreas(b *engine.Builder) {
	b.Stub(stubs...)
	b.Query.Absent("attachments", "attachmentsForURL", "documents", "favorites", "initiativeToProjects", "initiatives", "issueRelations",
		"notifications", "projectLabels", "projectMilestones", "projectUpdates", "teamMemberships")
	engine.Unknown(b, func(typ string) error { return tracker.NotFound.With(entity.Name{Kind: typ}) },
		"agentSession", "attachment", "attachmentIssue", "document", "initiative", "initiativeToProject",
		"issueRelation", "projectMilestone", "teamMembership")
}

// noIssues binds connections of issues by links that the service does not have.
func noIssues[T any](t *engine.Type[T], names ...string) {
	for _, name := range names {
		engine.One(t, name, func(*T) *engine.Page[*tracker.Issue] { return &engine.Page[*tracker.Issue]{} })
	}
}
