package graph

import (
	"fmt"
	"hash/fnv"
	"time"

	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

var avatarColors = []string{"#5e6ad2", "#26b5ce", "#4cb782", "#f2994a", "#eb5757", "#bb87fc", "#0f7488", "#c52828"}

// preferences are the personal settings of a user. Clients read them; no rule
// depends on them and nothing changes them.
type preferences struct{ *tracker.User }

// channels are the channels for notifications of a category. All are off.
type channels struct{}

// categories are the categories of notifications, with the channels of each.
type categories struct{}

// schedules are the delivery times of notifications: there are none.
type schedules struct{}

// bindPreferences binds the settings for notifications, which the service does
// not send, and for the appearance of a client.
func bindPreferences(b *engine.Builder, own *engine.Type[preferences]) {
	own.Null("calendarHash", "feedLastSeenTime", "feedSummarySchedule", "theme").Absent("unsubscribedFrom")
	own.Const(map[string]any{}, "notificationPreferences")
	own.Const(false, "showCodeBlockLineNumbers", "showFullUserNames", "subscribedToChangelog", "subscribedToDPA", "subscribedToInviteAccepted",
		"subscribedToPrivacyLegalUpdates", "subscribedToUnreadNotificationsReminder")
	engine.One(own, "user", func(p *preferences) *tracker.User { return p.User })
	engine.One(own, "notificationCategoryPreferences", func(*preferences) *categories { return &categories{} })
	engine.One(own, "notificationChannelPreferences", func(*preferences) *channels { return &channels{} })
	engine.One(own, "notificationDeliveryPreferences", func(*preferences) *schedules { return &schedules{} })
	engine.Object[channels](b, "NotificationChannelPreferences").Const(false, "desktop", "email", "mobile", "slack")
	engine.Object[schedules](b, "NotificationDeliveryPreferences").Null("mobile")
	kinds := engine.Object[categories](b, "NotificationCategoryPreferences")
	for _, name := range []string{"appsAndIntegrations", "assignments", "billing", "commentsAndReplies", "customers", "documentChanges", "feed", "loops",
		"mentions", "postsAndUpdates", "reactions", "reminders", "reviews", "statusChanges", "subscriptions", "system", "triage"} {
		engine.One(kinds, name, func(*categories) *channels { return &channels{} })
	}
}

func bindPeople(b *engine.Builder, l *loaders) {
	u := engine.Object[tracker.User](b, "User")
	type user = tracker.User
	based(u, func(u *user) *entity.Base { return &u.Base })
	u.Field("active", func(u *user) bool { return u.Active })
	u.Field("admin", func(u *user) bool { return u.Admin })
	u.Field("owner", func(u *user) bool { return u.Owner })
	u.Field("guest", func(u *user) bool { return u.Guest })
	u.Field("name", func(u *user) string { return u.Name })
	u.Field("displayName", func(u *user) string { return u.DisplayName })
	u.Field("email", func(u *user) string { return u.Email })
	u.Field("initials", (*user).Initials)
	u.Field("avatarUrl", func(u *user) *string { return text(u.AvatarURL) })
	u.Field("description", func(u *user) *string { return text(u.Description) })
	u.Field("title", func(u *user) *string { return text(u.Title) })
	u.Field("timezone", func(u *user) *string { return text(u.Timezone) })
	u.Field("statusEmoji", func(u *user) *string { return text(u.StatusEmoji) })
	u.Field("statusLabel", func(u *user) *string { return text(u.StatusLabel) })
	u.Field("statusUntilAt", func(u *user) *time.Time { return moment(u.StatusUntil) })
	u.Field("lastSeen", func(u *user) *time.Time { return moment(u.LastSeen) })
	u.Field("createdIssueCount", func(u *user) int64 { return u.CreatedIssues })
	engine.ResolveField(u, "isMe", func(c *engine.Call, u *user) (bool, error) { return u.ID == of(c).p.Subject, nil })
	u.Field("avatarBackgroundColor", func(u *user) string {
		h := fnv.New32a()
		_, _ = fmt.Fprint(h, u.ID)
		return avatarColors[h.Sum32()%uint32(len(avatarColors))]
	})
	engine.ResolveField(u, "url", func(c *engine.Call, u *user) (string, error) {
		v, err := naming(c)
		if err != nil {
			return "", err
		}
		return v.UserURL(u), nil
	})
	u.Const(true, "isAssignable", "isMentionable", "canAccessAnyPublicTeam").Const(false, "app", "supportsAgentSessions").Const("", "inviteHash")
	u.Const(false, "hasGitHubCodeAccess").Absent("drafts", "teamMemberships")
	noIssues(u, "delegatedIssues")
	u.Null("calendarHash", "disableReason", "gitHubUserId")
	engine.Ref(u, "organization", l.orgs, func(u *user) string { return u.Org })
	id := func(u *user) string { return u.ID }
	connect(u, "assignedIssues", tracker.Issues, "assignee", id)
	connect(u, "createdIssues", tracker.Issues, "creator", id)
	connect(u, "teams", tracker.Teams, "user", id)
	engine.Connection[*user](b, "UserConnection")
	payloads(b, "user", "UserPayload", "", changedEntity[user])

	root(b, "users", tracker.Users)
	one(b, "user", (*tracker.View).User)
	engine.Query(b, "viewer", func(c *engine.Call) (*user, error) {
		return read(c, func(v *tracker.View) (*user, error) { return v.Viewer(), nil })
	})
	engine.Query(b, "userSettings", func(c *engine.Call) (*preferences, error) {
		return read(c, func(v *tracker.View) (*preferences, error) { return &preferences{v.Viewer()}, nil })
	})
	own := engine.Object[preferences](b, "UserSettings")
	based(own, func(s *preferences) *entity.Base { return &s.Base })
	own.Const(false, "autoAssignToSelf")
	bindPreferences(b, own)
	engine.Mutation(b, "userUpdate", func(c *engine.Call) (*tracker.Change[user], error) {
		in := input(c.Args)
		return of(c).t.UpdateUser(c, of(c).p, c.Args.String("id"), tracker.UpdateUser{Name: str(in, "name"), DisplayName: str(in, "displayName"),
			AvatarURL: str(in, "avatarUrl"), Description: str(in, "description"), Title: str(in, "title"), Timezone: str(in, "timezone"),
			StatusEmoji: str(in, "statusEmoji"), StatusLabel: str(in, "statusLabel"), StatusUntil: when(in, "statusUntilAt")})
	})
	bindOrganization(b)
}

func bindOrganization(b *engine.Builder) {
	type org = tracker.Organization
	o := engine.Object[org](b, "Organization")
	based(o, func(o *org) *entity.Base { return &o.Base })
	o.Field("name", func(o *org) string { return o.Name })
	o.Field("urlKey", func(o *org) string { return o.URLKey })
	o.Field("logoUrl", func(o *org) *string { return text(o.LogoURL) })
	o.Field("previousUrlKeys", func(o *org) []string { return entity.Split(o.PreviousKeys) })
	o.Field("userCount", func(o *org) int64 { return o.UserCount })
	o.Field("createdIssueCount", func(o *org) int64 { return o.CreatedIssues })
	for name, get := range map[string]func(*tracker.OrganizationSettings) bool{
		"aiDiscussionSummariesEnabled":     func(s *tracker.OrganizationSettings) bool { return s.AIDiscussionSummaries },
		"aiThreadSummariesEnabled":         func(s *tracker.OrganizationSettings) bool { return s.AIThreadSummaries },
		"customersEnabled":                 func(s *tracker.OrganizationSettings) bool { return s.Customers },
		"feedEnabled":                      func(s *tracker.OrganizationSettings) bool { return s.Feed },
		"gitLinkbackDescriptionsEnabled":   func(s *tracker.OrganizationSettings) bool { return s.GitLinkbackDescriptions },
		"gitLinkbackMessagesEnabled":       func(s *tracker.OrganizationSettings) bool { return s.GitLinkbackMessages },
		"gitPublicLinkbackMessagesEnabled": func(s *tracker.OrganizationSettings) bool { return s.GitPublicLinkbackMessages },
		"hipaaComplianceEnabled":           func(s *tracker.OrganizationSettings) bool { return s.HIPAA },
		"pullRequestTourEnabled":           func(s *tracker.OrganizationSettings) bool { return s.PullRequestTour },
		"roadmapEnabled":                   func(s *tracker.OrganizationSettings) bool { return s.Roadmap },
		"suggestedBranchNameEnabled":       func(s *tracker.OrganizationSettings) bool { return s.SuggestedBranchName },
	} {
		o.Field(name, func(o *org) bool { return get(&o.Options) })
	}
	o.Field("allowedFileUploadContentTypes", func(o *org) []string { return o.Options.UploadContentTypes })
	o.Field("defaultFeedSummarySchedule", func(o *org) *string { return text(o.Options.FeedSummarySchedule) })
	o.Field("defaultHomeView", func(o *org) *string { return o.Options.HomeView })
	o.Field("defaultHomeViewTargetId", func(o *org) *string { return o.Options.HomeViewTarget })
	o.Field("fiscalYearStartMonth", func(o *org) float64 { return o.Options.FiscalYearStartMonth })
	o.Field("gitBranchFormat", func(o *org) *string { return o.Options.GitBranchFormat })
	o.Field("initiativeUpdateReminderFrequencyInWeeks", func(o *org) *float64 { return o.Options.InitiativeReminderWeeks })
	o.Field("initiativeUpdateRemindersDay", func(o *org) string { return o.Options.InitiativeReminderDay })
	o.Field("initiativeUpdateRemindersHour", func(o *org) float64 { return o.Options.InitiativeReminderHour })
	o.Field("projectUpdateReminderFrequencyInWeeks", func(o *org) *float64 { return o.Options.ProjectReminderWeeks })
	o.Field("projectUpdateRemindersDay", func(o *org) string { return o.Options.ProjectReminderDay })
	o.Field("projectUpdateRemindersHour", func(o *org) float64 { return o.Options.ProjectReminderHour })
	o.Field("pullRequestIssueMode", func(o *org) string { return o.Options.PullRequestIssueMode })
	o.Field("slackProjectChannelPrefix", func(o *org) string { return o.Options.SlackChannelPrefix })
	o.Const(false, "hideNonPrimaryOrganizations", "releasesEnabled", "samlEnabled", "scimEnabled", "allowMembersToInvite",
		"restrictLabelManagementToAdmins", "restrictTeamCreationToAdmins")
	o.Const(map[string]any{}, "authSettings", "securitySettings", "customersConfiguration").Const(0, "customerCount", "periodUploadVolume")
	o.Const("never", "projectUpdatesReminderFrequency").Const("public", "releaseChannel").Const("all", "slaDayCount")
	o.Const(false, "agentAutomationEnabled", "aiAddonEnabled", "aiTelemetryEnabled", "codeIntelligenceEnabled", "codingAgentEnabled",
		"generatedUpdatesEnabled", "linearAgentEnabled", "slackAutoCreateProjectChannel", "slackProjectChannelsEnabled")
	o.Const(map[string]any{}, "codingAgentSettings", "linearAgentSettings", "teamSecuritySettings")
	o.Field("workingDays", func(*org) []float64 { return []float64{1, 2, 3, 4, 5} })
	o.Absent("aiProviderConfiguration", "allowedAiProviders", "codeIntelligenceRepository", "integrations", "loops",
		"projectLabels", "restrictAgentInvocationToMembers", "samlSettings", "scimSettings", "templates", "themeSettings").Null("ipRestrictions")
	o.Empty("allowedAuthServices").Null("deletionRequestedAt", "slackProjectChannelIntegration", "subscription", "trialEndsAt", "trialStartsAt")
	everything(o, "labels", tracker.Labels)
	everything(o, "teams", tracker.Teams)
	everything(o, "users", tracker.Users)
	engine.ResolveList(o, "projectStatuses", func(c *engine.Call, _ *org) ([]*tracker.ProjectStatus, error) {
		return read(c, (*tracker.View).Statuses)
	})
	payloads(b, "organization", "OrganizationPayload", "", changedEntity[org])
	engine.Query(b, "organization", func(c *engine.Call) (*org, error) { return read(c, (*tracker.View).Organization) })
	engine.Mutation(b, "organizationUpdate", func(c *engine.Call) (*tracker.Change[org], error) {
		in := input(c.Args)
		return of(c).t.UpdateOrganization(c, of(c).p, tracker.UpdateOrganization{Name: str(in, "name"), URLKey: str(in, "urlKey"),
			LogoURL: str(in, "logoUrl"), Settings: settings(in, "name", "urlKey", "logoUrl")})
	})
}
