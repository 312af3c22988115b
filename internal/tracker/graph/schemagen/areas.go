package main

// The reasons, as the list in docs/divergences shows them.
const (
	reasonUndescribed = "Output fields that do not exist here, because the types that they lead to are selected by no known program"
	reasonFilterArea  = "Filter and sort keys over areas the service does not have (agents, attachments, customers, documents, initiatives, milestones, project labels, reactions, relations, releases, service levels, suggestions, templates)"
	reasonDerived     = "Filter and sort keys over derived values that are not kept (time in a status, cycle time, lead time, health, free text inside a filter)"
	reasonInputArea   = "Input fields for areas the service does not have"
	reasonRichText    = "Rich-text documents as input; Markdown is accepted instead"
	reasonSetting     = "Settings that nothing here depends on"
	reasonOlder       = "Input fields of older versions of the client, and of areas that other programs touch"
)

// settingsOf maps an input type of settings to the type that shows them. A
// setting that no rule and no output depends on is not served.
var settingsOf = map[string]string{
	"OrganizationUpdateInput": "Organization",
	"TeamCreateInput":         "Team",
	"TeamUpdateInput":         "Team",
}

// servedInputs are served although the rules of unserved exclude them.
var servedInputs = map[string]bool{
	"TeamCreateInput.id":                  true,
	"TeamCreateInput.parentId":            true,
	"TeamUpdateInput.parentId":            true,
	"TeamUpdateInput.defaultIssueStateId": true,
	"ProjectCreateInput.state":            true,
	"ProjectUpdateInput.state":            true,
}

// unservedArgs are arguments of areas that the service does not have.
var unservedArgs = map[string]bool{
	"Mutation.projectCreate.aiConversationId":    true,
	"Mutation.projectCreate.connectSlackChannel": true,
	"Mutation.projectCreate.projectDraftId":      true,
	"Mutation.projectCreate.slackChannelName":    true,
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

// unservedTypes are input types of areas that the service does not have.
var unservedTypes = merge(
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

// unservedFields are single input fields; the type "*" stands for every input type.
var unservedFields = merge(
	reasons(reasonFilterArea,
		"*.customerCount", "*.customerImportantCount", "*.slaBreachesAt", "*.inheritedFromId", "*.sharedWith",
		"IssueFilter.delegate", "NullableIssueFilter.delegate", "IssueCollectionFilter.delegate",
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
		"*.templateId", "*.trusted", "*.autoClosedByParentClosing",
		"*.convertedFromIssueId", "*.leadTeamId", "*.projectLabels", "*.defaultTemplateForMembersId",
		"*.defaultTemplateForNonMembersId", "*.scimGroupName", "*.scimManaged", "*.projectStatuses",
		"IssueCreateInput.slaBreachesAt", "IssueUpdateInput.slaBreachesAt",
		"ProjectCreateInput.labelIds", "ProjectUpdateInput.labelIds"),
)
