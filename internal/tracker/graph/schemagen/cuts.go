package main

// The reasons, as the list in docs/divergences shows them.
const (
	reasonUnselected = "Output fields that no document of the official client selects"
	reasonStub       = "Output fields of types that exist only because the client's documents select a few of their fields"
	reasonArea       = "Connections and links into areas the service does not have (attachments, documents, history, releases, templates, memberships and the like)"
	reasonFilterArea = "Filter and sort keys over areas the service does not have (agents, attachments, customers, documents, initiatives, milestones, project labels, reactions, relations, releases, service levels, suggestions, templates)"
	reasonDerived    = "Filter and sort keys over derived values that are not kept (time in a status, cycle time, lead time, health, free text inside a filter)"
	reasonInputArea  = "Input fields for areas the service does not have"
	reasonRichText   = "Rich-text documents as input; Markdown is accepted instead"
	reasonSetting    = "Input fields that set what no kept output field shows"
)

var archivePayload = &typeDef{Kind: "INTERFACE", Core: true, Fields: map[string]*fieldDef{
	"lastSyncId": {Type: "Float!"},
	"success":    {Type: "Boolean!"},
}}

// keptOutputs are fields that no client document selects and that hand-written
// queries commonly do.
var keptOutputs = map[string]bool{
	"Query.archivedTeams":              true,
	"OrganizationPayload.organization": true,
	"Team.organization":                true,
	"Team.children":                    true,
	"User.organization":                true,
	"IssueLabel.organization":          true,
	"IssueLabel.retiredAt":             true,
	"Comment.bodyData":                 true,
}

// keptOutput also keeps edges: the specification shows them, the client never
// selects them.
func keptOutput(typ, field string) bool {
	return keptOutputs[typ+"."+field] || field == "edges" || field == "cursor" || field == "node"
}

// settingsOf maps an input type of settings to the type that shows them. A
// setting that nothing shows is cut, so that it is refused and not swallowed.
var settingsOf = map[string]string{
	"OrganizationUpdateInput": "Organization",
	"TeamCreateInput":         "Team",
	"TeamUpdateInput":         "Team",
}

// keptSettings act on something other than an output field of the same name.
var keptSettings = map[string]bool{
	"TeamCreateInput.id":                  true,
	"TeamCreateInput.parentId":            true,
	"TeamUpdateInput.parentId":            true,
	"TeamUpdateInput.defaultIssueStateId": true,
}

func reasons(why string, names ...string) map[string]string {
	m := map[string]string{}
	for _, n := range names {
		m[n] = why
	}
	return m
}

func merge(ms ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range ms {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// cutInputTypes go with every field that takes them.
var cutInputTypes = merge(
	reasons(reasonFilterArea,
		"ActivityCollectionFilter", "AttachmentCollectionFilter", "CustomerNeedCollectionFilter",
		"InitiativeCollectionFilter", "IssueSuggestionCollectionFilter", "NullableDocumentContentFilter",
		"NullableInitiativeFilter", "NullableInitiativeUpdateFilter", "NullableProjectMilestoneFilter",
		"NullableProjectUpdateFilter", "NullableTemplateFilter", "ProjectLabelCollectionFilter",
		"ProjectMilestoneCollectionFilter", "ProjectMilestoneFilter", "ProjectUpdatesCollectionFilter",
		"ReactionCollectionFilter", "RelationExistsComparator", "ReleaseCollectionFilter",
		"ReleasePipelineCollectionFilter", "RoadmapCollectionFilter", "SlaStatusComparator",
		"SourceMetadataComparator", "CustomerSort", "CustomerCountSort", "CustomerImportantCountSort",
		"CustomerRevenueSort", "DelegateSort", "LinkCountSort", "MilestoneSort", "ReleaseSort", "SlaStatusSort"),
	reasons(reasonDerived,
		"ContentComparator", "CyclePeriodComparator", "NullableDurationComparator",
		"ProjectHealthSort", "RootIssueSort", "TimeInStatusSort", "LabelSort", "LabelGroupSort"),
	reasons(reasonSetting,
		"OrganizationAuthSettingsInput", "OrganizationSecuritySettingsInput", "TeamSecuritySettingsInput",
		"CustomersConfigurationInput"),
)

// cutInputFields are single input fields; the type "*" stands for every type.
var cutInputFields = merge(
	reasons(reasonFilterArea,
		"*.customerCount", "*.customerImportantCount", "*.slaBreachesAt", "*.inheritedFromId", "*.sharedWith",
		"IssueFilter.delegate", "NullableIssueFilter.delegate", "IssueCollectionFilter.delegate",
		"IssueFilter.snoozedBy", "NullableIssueFilter.snoozedBy", "IssueCollectionFilter.snoozedBy",
		"IssueFilter.snoozedUntilAt", "NullableIssueFilter.snoozedUntilAt", "IssueCollectionFilter.snoozedUntilAt",
		"TeamFilter.restrictedBy", "NullableTeamFilter.restrictedBy", "ProjectFilter.customIdentifier",
		"NullableProjectFilter.customIdentifier", "ProjectCollectionFilter.customIdentifier"),
	reasons(reasonDerived,
		"*.accumulatedStateUpdatedAt", "*.activityType", "*.healthWithAge", "ProjectFilter.health",
		"NullableProjectFilter.health", "ProjectCollectionFilter.health"),
	reasons(reasonRichText,
		"*.bodyData", "*.descriptionData"),
	reasons(reasonInputArea,
		"*.createAsUser", "*.displayIconUrl", "*.createOnSyncedSlackThread", "*.documentContentId", "*.initiativeId",
		"*.initiativeUpdateId", "*.postId", "*.projectUpdateId", "*.delegateId", "*.inheritsSharedAccess",
		"*.lastAppliedTemplateId", "*.projectMilestoneId", "*.referenceCommentId", "*.releaseIds", "*.addedReleaseIds",
		"*.removedReleaseIds", "*.slaStartedAt", "*.slaType", "*.sourceCommentId", "*.sourcePullRequestCommentId",
		"*.templateId", "*.useDefaultTemplate", "*.snoozedById", "*.trusted", "*.autoClosedByParentClosing",
		"*.convertedFromIssueId", "*.leadTeamId", "*.projectLabels", "*.defaultTemplateForMembersId",
		"*.defaultTemplateForNonMembersId", "*.scimGroupName", "*.scimManaged", "*.projectStatuses",
		"IssueCreateInput.slaBreachesAt", "IssueUpdateInput.slaBreachesAt", "IssueUpdateInput.snoozedUntilAt",
		"ProjectCreateInput.labelIds", "ProjectUpdateInput.labelIds"),
)
