package graph

import (
	"time"

	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

type team = tracker.Team

func bindTeam(b *engine.Builder, l *loaders) {
	t := engine.Object[team](b, "Team")
	based(t, func(t *team) *entity.Base { return &t.Base })
	t.Field("key", func(t *team) string { return t.Key })
	t.Field("name", func(t *team) string { return t.Name })
	t.Field("displayName", func(t *team) string { return t.Name })
	t.Field("description", func(t *team) *string { return text(t.Description) })
	t.Field("icon", func(t *team) *string { return text(t.Icon) })
	t.Field("color", func(t *team) *string { return text(t.Color) })
	t.Field("private", func(t *team) bool { return t.Private })
	t.Field("visibility", func(t *team) string {
		if t.Private {
			return "private"
		}
		return "public"
	})
	t.Field("retiredAt", func(t *team) *time.Time { return moment(t.Retired) })
	t.Field("viewerCanJoin", func(t *team) bool { return !t.ViewerJoined && !t.Private })
	t.Field("viewerCanLeave", func(t *team) bool { return t.ViewerJoined })
	engine.ResolveField(t, "issueCount", func(c *engine.Call, t *team) (int64, error) {
		if c.Args.Bool("includeArchived") {
			return t.OpenIssues + t.HiddenIssues, nil
		}
		return t.OpenIssues, nil
	})
	engine.ResolveField(t, "cycleCalenderUrl", func(c *engine.Call, t *team) (string, error) {
		v, err := naming(c)
		if err != nil {
			return "", err
		}
		return v.TeamURL(t) + "/cycles.ics", nil
	})
	teamSettings(t)
	t.Const("", "inviteHash").Const(map[string]any{}, "securitySettings").Const(0, "ledInitiativeCount")
	t.Const(false, "scimManaged", "issueOrderingNoPriorityFirst", "issueSortOrderDefaultToBottom")
	t.Const(false, "agentAutomationEnabled", "codingAgentEnabled", "inheritProjectStatuses", "inheritSlackAutoCreateProjectChannel")
	t.Const(map[string]any{}, "currentProgress", "progressHistory")
	t.Absent("gitAutomationStates", "joinByDefault", "loops", "membership", "memberships", "pinnedResources", "protectedBy", "protectedById",
		"releasePipelines", "resourceSections", "restrictedBy", "restrictedById", "slackAutoCreateProjectChannel", "templates")
	engine.LinkList(t, "ancestors", func(c *engine.Call, teams []*team) ([][]*team, error) {
		return read(c, func(v *tracker.View) ([][]*team, error) { return v.Ancestors(teams) })
	})
	t.Null("defaultProjectTemplate", "defaultTemplateForMembers", "defaultTemplateForMembersId", "defaultTemplateForNonMembers",
		"defaultTemplateForNonMembersId", "draftWorkflowState", "integrationsSettings", "markedAsDuplicateWorkflowState", "mergeWorkflowState",
		"mergeableWorkflowState", "reviewWorkflowState", "scimGroupName", "startWorkflowState", "triageResponsibility", "viewerMembership")
	engine.Ref(t, "activeCycle", l.cycles, func(t *team) string { return t.ActiveCycle })
	engine.Ref(t, "defaultIssueState", l.states, func(t *team) string { return t.DefaultState })
	engine.Ref(t, "triageIssueState", l.states, func(t *team) string {
		if !t.Options.Triage {
			return ""
		}
		return t.TriageState
	})
	engine.Ref(t, "organization", l.orgs, func(t *team) string { return t.Org })
	engine.Ref(t, "parent", l.teams, func(t *team) string { return t.Parent })
	engine.LinkList(t, "children", func(c *engine.Call, parents []*team) ([][]*team, error) {
		return read(c, func(v *tracker.View) ([][]*team, error) { return v.SubTeams(parents) })
	})
	id := func(t *team) string { return t.ID }
	below := func(a engine.Args) string {
		if a.Bool("includeSubTeams") {
			return "teams"
		}
		return "team"
	}
	connectBy(t, "issues", tracker.Issues, below, id)
	connectBy(t, "projects", tracker.Projects, below, id)
	connect(t, "cycles", tracker.Cycles, "team", id)
	connect(t, "labels", tracker.Labels, "team", id)
	connect(t, "members", tracker.Users, "team", id)
	connect(t, "states", tracker.States, "team", id)
	connect(t, "webhooks", tracker.Webhooks, "team", id)
	engine.Connection[*team](b, "TeamConnection")
	payloads(b, "team", "TeamPayload", "TeamArchivePayload", changedEntity[team])
	bindTeamOperations(b)
}

// teamSettings binds the settings that are stored and shown and on which no rule
// depends.
func teamSettings(t *engine.Type[team]) {
	type set = tracker.TeamSettings
	for name, get := range map[string]func(*set) bool{
		"aiDiscussionSummariesEnabled":  func(s *set) bool { return s.AIDiscussionSummaries },
		"aiThreadSummariesEnabled":      func(s *set) bool { return s.AIThreadSummaries },
		"cycleIssueAutoAssignCompleted": func(s *set) bool { return s.CycleAssignCompleted },
		"cycleIssueAutoAssignStarted":   func(s *set) bool { return s.CycleAssignStarted },
		"cycleLockToActive":             func(s *set) bool { return s.CycleLockToActive },
		"cyclesEnabled":                 func(s *set) bool { return s.Cycles },
		"groupIssueHistory":             func(s *set) bool { return s.GroupHistory },
		"inheritIssueEstimation":        func(s *set) bool { return s.InheritEstimation },
		"inheritWorkflowStatuses":       func(s *set) bool { return s.InheritStatuses },
		"initiativesEnabled":            func(s *set) bool { return s.Initiatives },
		"issueEstimationAllowZero":      func(s *set) bool { return s.EstimationAllowZero },
		"issueEstimationExtended":       func(s *set) bool { return s.EstimationExtended },
		"requirePriorityToLeaveTriage":  func(s *set) bool { return s.PriorityToLeaveTriage },
		"slackIssueComments":            func(s *set) bool { return s.SlackComments },
		"slackIssueStatuses":            func(s *set) bool { return s.SlackStatuses },
		"slackNewIssue":                 func(s *set) bool { return s.SlackNew },
		"triageEnabled":                 func(s *set) bool { return s.Triage },
	} {
		t.Field(name, func(t *team) bool { return get(&t.Options) })
	}
	for name, get := range map[string]func(*set) float64{
		"autoArchivePeriod":    func(s *set) float64 { return s.AutoArchivePeriod },
		"cycleCooldownTime":    func(s *set) float64 { return s.CycleCooldown },
		"cycleDuration":        func(s *set) float64 { return s.CycleDuration },
		"cycleStartDay":        func(s *set) float64 { return s.CycleStartDay },
		"defaultIssueEstimate": func(s *set) float64 { return s.DefaultEstimate },
		"upcomingCycleCount":   func(s *set) float64 { return s.UpcomingCycles },
	} {
		t.Field(name, func(t *team) float64 { return get(&t.Options) })
	}
	t.Field("allMembersCanJoin", func(t *team) *bool { return t.Options.AllMembersCanJoin })
	t.Field("autoCloseChildIssues", func(t *team) *bool { return t.Options.AutoCloseChildIssues })
	t.Field("autoCloseParentIssues", func(t *team) *bool { return t.Options.AutoCloseParentIssues })
	t.Field("autoClosePeriod", func(t *team) *float64 { return t.Options.AutoClosePeriod })
	t.Field("autoCloseStateId", func(t *team) *string { return t.Options.AutoCloseState })
	t.Field("issueEstimationType", func(t *team) string { return t.Options.EstimationType })
	t.Field("setIssueSortOrderOnStateChange", func(t *team) string { return t.Options.SortOrderOnStateChange })
	t.Field("timezone", func(t *team) string { return t.Options.Timezone })
}

func bindTeamOperations(b *engine.Builder) {
	root(b, "teams", tracker.Teams)
	one(b, "team", (*tracker.View).Team)
	engine.Query(b, "administrableTeams", func(c *engine.Call) (*engine.Page[*team], error) {
		l, err := listOf(c.Args)
		if err != nil {
			return nil, err
		}
		p, err := read(c, func(v *tracker.View) (*entity.Page[team], error) { return v.AdministrableTeams(l) })
		if err != nil {
			return nil, err
		}
		return pageOf(p), nil
	})
	engine.QueryList(b, "archivedTeams", func(c *engine.Call) ([]*team, error) {
		return read(c, (*tracker.View).DeletedTeams)
	})
	type change = *tracker.Change[team]
	engine.Mutation(b, "teamCreate", func(c *engine.Call) (change, error) {
		in := teamInput(input(c.Args), false)
		in.CopyFrom = c.Args.String("copySettingsFromTeamId")
		return of(c).t.CreateTeam(c, of(c).p, in)
	})
	engine.Mutation(b, "teamUpdate", func(c *engine.Call) (change, error) {
		return of(c).t.UpdateTeam(c, of(c).p, c.Args.String("id"), teamInput(input(c.Args), true))
	})
	engine.Mutation(b, "teamDelete", func(c *engine.Call) (*deleted, error) {
		return gone(of(c).t.DeleteTeam(c, of(c).p, c.Args.String("id")))
	})
	engine.Mutation(b, "teamUnarchive", func(c *engine.Call) (change, error) {
		return of(c).t.UnarchiveTeam(c, of(c).p, c.Args.String("id"))
	})
}

func bindState(b *engine.Builder, l *loaders) {
	type state = tracker.WorkflowState
	t := engine.Object[state](b, "WorkflowState")
	based(t, func(s *state) *entity.Base { return &s.Base })
	t.Field("name", func(s *state) string { return s.Name })
	t.Field("color", func(s *state) string { return s.Color })
	t.Field("description", func(s *state) *string { return text(s.Description) })
	t.Field("type", func(s *state) string { return s.Type })
	t.Field("position", func(s *state) float64 { return s.Position })
	t.Null("inheritedFrom")
	engine.Ref(t, "team", l.teams, func(s *state) string { return s.Team })
	connect(t, "issues", tracker.Issues, "state", func(s *state) string { return s.ID })
	engine.Connection[*state](b, "WorkflowStateConnection")
	payloads(b, "workflowState", "WorkflowStatePayload", "WorkflowStateArchivePayload", changedEntity[state])
	root(b, "workflowStates", tracker.States)
	one(b, "workflowState", tracker.States.Get)
	type change = *tracker.Change[state]
	engine.Mutation(b, "workflowStateCreate", func(c *engine.Call) (change, error) {
		in := input(c.Args)
		return of(c).t.CreateState(c, of(c).p, tracker.CreateState{ID: in.String("id"), Team: in.String("teamId"), Type: in.String("type"),
			Name: in.String("name"), Color: in.String("color"), Description: in.String("description"), Position: float(in, "position")})
	})
	engine.Mutation(b, "workflowStateUpdate", func(c *engine.Call) (change, error) {
		in := input(c.Args)
		return of(c).t.UpdateState(c, of(c).p, c.Args.String("id"), tracker.UpdateState{Name: str(in, "name"), Color: str(in, "color"),
			Description: str(in, "description"), Position: float(in, "position")})
	})
	engine.Mutation(b, "workflowStateArchive", func(c *engine.Call) (change, error) {
		return of(c).t.ArchiveState(c, of(c).p, c.Args.String("id"))
	})
}

func bindLabel(b *engine.Builder, l *loaders) {
	type label = tracker.Label
	t := engine.Object[label](b, "IssueLabel")
	based(t, func(x *label) *entity.Base { return &x.Base })
	t.Field("name", func(x *label) string { return x.Name })
	t.Field("color", func(x *label) string { return x.Color })
	t.Field("description", func(x *label) *string { return text(x.Description) })
	t.Field("isGroup", func(x *label) bool { return x.IsGroup })
	t.Field("groupType", func(x *label) *string { return text(x.GroupType) })
	t.Field("lastAppliedAt", func(x *label) *time.Time { return moment(x.LastApplied) })
	t.Field("retiredAt", func(x *label) *time.Time { return moment(x.Retired) })
	t.Null("inheritedFrom")
	engine.Ref(t, "creator", l.users, func(x *label) string { return x.Creator })
	engine.Ref(t, "retiredBy", l.users, func(x *label) string { return x.RetiredBy })
	engine.Ref(t, "parent", l.labels, func(x *label) string { return x.Parent })
	engine.Ref(t, "team", l.teams, func(x *label) string { return x.Team })
	engine.Ref(t, "organization", l.orgs, func(x *label) string { return x.Org })
	id := func(x *label) string { return x.ID }
	connect(t, "children", tracker.Labels, "parent", id)
	connect(t, "issues", tracker.Issues, "label", id)
	engine.Connection[*label](b, "IssueLabelConnection")
	payloads(b, "issueLabel", "IssueLabelPayload", "", changedEntity[label])
	root(b, "issueLabels", tracker.Labels)
	one(b, "issueLabel", tracker.Labels.Get)
	type change = *tracker.Change[label]
	engine.Mutation(b, "issueLabelCreate", func(c *engine.Call) (change, error) {
		in := labelInput(input(c.Args), false)
		in.Replace = c.Args.Bool("replaceTeamLabels")
		return of(c).t.CreateLabel(c, of(c).p, in)
	})
	engine.Mutation(b, "issueLabelUpdate", func(c *engine.Call) (change, error) {
		in := labelInput(input(c.Args), true)
		in.Replace = c.Args.Bool("replaceTeamLabels")
		return of(c).t.UpdateLabel(c, of(c).p, c.Args.String("id"), in)
	})
	engine.Mutation(b, "issueLabelDelete", func(c *engine.Call) (*deleted, error) {
		return gone(of(c).t.DeleteLabel(c, of(c).p, c.Args.String("id")))
	})
}
