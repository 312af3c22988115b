package graph

import (
	"time"

	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// loaders are shared by all links to a kind.
type loaders struct {
	users    *engine.Loader[string, tracker.User]
	teams    *engine.Loader[string, tracker.Team]
	states   *engine.Loader[string, tracker.WorkflowState]
	issues   *engine.Loader[string, tracker.Issue]
	comments *engine.Loader[string, tracker.Comment]
	projects *engine.Loader[string, tracker.Project]
	statuses *engine.Loader[string, tracker.ProjectStatus]
	cycles   *engine.Loader[string, tracker.Cycle]
	labels   *engine.Loader[string, tracker.Label]
	orgs     *engine.Loader[string, tracker.Organization]
}

func newLoaders() *loaders {
	l := &loaders{users: loaderOf(tracker.Users), teams: loaderOf(tracker.Teams), states: loaderOf(tracker.States),
		issues: loaderOf(tracker.Issues), comments: loaderOf(tracker.Comments), projects: loaderOf(tracker.Projects),
		statuses: loaderOf(tracker.ProjectStatuses), cycles: loaderOf(tracker.Cycles), labels: loaderOf(tracker.Labels)}
	l.comments.Peek, l.labels.Peek = nil, nil // deleted permanently, so a reference may be dangling
	l.orgs = &engine.Loader[string, tracker.Organization]{Load: func(c *engine.Call, ids []string) (map[string]*tracker.Organization, error) {
		o, err := read(c, (*tracker.View).Organization)
		if err != nil {
			return nil, err
		}
		return map[string]*tracker.Organization{o.ID: o}, nil
	}}
	return l
}

// sharing is the sharing of an issue outside its team: none.
type sharing struct{}

// found is an issue in the result of a search.
type found struct{ *tracker.Issue }

func bindIssue(b *engine.Builder, l *loaders) {
	t := engine.Object[tracker.Issue](b, "Issue")
	issueFields(t, l, func(i *tracker.Issue) *tracker.Issue { return i })
	t.Null("activitySummary", "aiAnalysis", "suggestionsGeneratedAt", "trusted")
	engine.Connection[*tracker.Issue](b, "IssueConnection")

	s := engine.Object[sharing](b, "IssueSharedAccess")
	s.Const(false, "isShared", "viewerHasOnlySharedAccess").Const(0, "sharedWithCount").Empty("sharedWithUsers", "disallowedIssueFields")

	r := engine.Object[found](b, "IssueSearchResult")
	issueFields(r, l, func(f *found) *tracker.Issue { return f.Issue })
	r.Const(map[string]any{}, "metadata")
	payloads(b, "issue", "IssuePayload", "IssueArchivePayload", changedEntity[tracker.Issue])
	bindBatch(b)
}

// issueFields binds the fields that issues and search results share.
func issueFields[T any](t *engine.Type[T], l *loaders, of func(*T) *tracker.Issue) {
	based(t, func(e *T) *entity.Base { return &of(e).Base })
	at := func(name string, get func(i *tracker.Issue) int64) {
		t.Field(name, func(e *T) *time.Time { return moment(get(of(e))) })
	}
	at("addedToCycleAt", func(i *tracker.Issue) int64 { return i.AddedToCycle })
	at("addedToProjectAt", func(i *tracker.Issue) int64 { return i.AddedToProject })
	at("addedToTeamAt", func(i *tracker.Issue) int64 { return i.AddedToTeam })
	at("autoArchivedAt", func(i *tracker.Issue) int64 { return i.AutoArchived })
	at("autoClosedAt", func(i *tracker.Issue) int64 { return i.AutoClosed })
	at("snoozedUntilAt", func(i *tracker.Issue) int64 { return i.SnoozedUntil })
	at("canceledAt", func(i *tracker.Issue) int64 { return i.Canceled })
	at("completedAt", func(i *tracker.Issue) int64 { return i.Completed })
	at("startedAt", func(i *tracker.Issue) int64 { return i.Started })
	at("startedTriageAt", func(i *tracker.Issue) int64 { return i.StartedTriage })
	at("triagedAt", func(i *tracker.Issue) int64 { return i.Triaged })
	t.Field("identifier", func(e *T) string { return of(e).Identifier })
	t.Field("number", func(e *T) int64 { return of(e).Number })
	t.Field("title", func(e *T) string { return of(e).Title })
	t.Field("description", func(e *T) *string { return text(of(e).Description) })
	t.Field("dueDate", func(e *T) *string { return text(of(e).DueDate) })
	t.Field("priority", func(e *T) int64 { return of(e).Priority })
	t.Field("priorityLabel", func(e *T) string { return tracker.PriorityLabels[of(e).Priority] })
	t.Field("prioritySortOrder", func(e *T) float64 { return of(e).PrioritySortOrder })
	t.Field("sortOrder", func(e *T) float64 { return of(e).SortOrder })
	t.Field("subIssueSortOrder", func(e *T) *float64 { return of(e).SubSortOrder })
	t.Field("estimate", func(e *T) *float64 { return of(e).Estimate })
	t.Field("labelIds", func(e *T) []string { return entity.Split(of(e).LabelIDs) })
	t.Field("previousIdentifiers", func(e *T) []string { return entity.Split(of(e).Previous) })
	t.Field("trashed", func(e *T) *bool {
		if !of(e).Trashed {
			return nil
		}
		return &of(e).Trashed
	})
	engine.ResolveField(t, "url", func(c *engine.Call, e *T) (string, error) {
		v, err := naming(c)
		if err != nil {
			return "", err
		}
		return v.IssueURL(of(e)), nil
	})
	engine.ResolveField(t, "branchName", func(c *engine.Call, e *T) (string, error) {
		v, err := naming(c)
		if err != nil {
			return "", err
		}
		return v.BranchName(of(e)), nil
	})
	t.Const(0, "boardOrder", "customerTicketCount").Const([]any{}, "reactionData").Empty("reactions")
	t.Null("asksExternalUserRequester", "asksRequester", "botActor", "delegate", "externalUserCreator",
		"favorite", "integrationSourceType", "lastAppliedTemplate", "projectMilestone", "recurringIssueTemplate", "slaBreachesAt",
		"slaHighRiskAt", "slaMediumRiskAt", "slaStartedAt", "slaType", "sourceComment", "syncedWith")
	engine.Ref(t, "assignee", l.users, func(e *T) string { return of(e).Assignee })
	engine.Ref(t, "creator", l.users, func(e *T) string { return of(e).Creator })
	engine.Ref(t, "snoozedBy", l.users, func(e *T) string { return of(e).SnoozedBy })
	engine.Ref(t, "cycle", l.cycles, func(e *T) string { return of(e).Cycle })
	engine.Ref(t, "parent", l.issues, func(e *T) string { return of(e).Parent })
	engine.Ref(t, "project", l.projects, func(e *T) string { return of(e).Project })
	engine.Ref(t, "state", l.states, func(e *T) string { return of(e).State })
	engine.Ref(t, "team", l.teams, func(e *T) string { return of(e).Team })
	id := func(e *T) string { return of(e).ID }
	connect(t, "children", tracker.Issues, "parent", id)
	connect(t, "comments", tracker.Comments, "issue", id)
	connect(t, "labels", tracker.Labels, "issue", id)
	connect(t, "subscribers", tracker.Users, "issue", id)
	t.Const(false, "inheritsSharedAccess").Absent("attachments", "descriptionState", "documentContent", "documents", "formerAttachments",
		"formerNeeds", "history", "inverseRelations", "needs", "relations", "releases", "stateHistory")
	engine.One(t, "sharedAccess", func(*T) *sharing { return &sharing{} })
}

func bindIssueQueries(b *engine.Builder) {
	root(b, "issues", tracker.Issues)
	one(b, "issue", (*tracker.View).Issue)
	engine.Query(b, "issueVcsBranchSearch", func(c *engine.Call) (*tracker.Issue, error) {
		return read(c, func(v *tracker.View) (*tracker.Issue, error) { return issueOfBranch(v, c.Args.String("branchName")) })
	})
	engine.QueryList(b, "issuePriorityValues", func(*engine.Call) ([]*priorityValue, error) {
		var out []*priorityValue
		for n, label := range tracker.PriorityLabels {
			out = append(out, &priorityValue{n, label})
		}
		return out, nil
	})
	engine.Object[priorityValue](b, "IssuePriorityValue").
		Field("priority", func(p *priorityValue) int { return p.priority }).
		Field("label", func(p *priorityValue) string { return p.label })
	engine.Query(b, "searchIssues", search)
	engine.Query(b, "issueSearch", func(c *engine.Call) (*engine.Page[*tracker.Issue], error) {
		l, err := listOf(c.Args)
		if err != nil {
			return nil, err
		}
		return read(c, func(v *tracker.View) (*engine.Page[*tracker.Issue], error) {
			p, err := v.SearchIssues(tracker.Search{Term: c.Args.String("query"), Query: l})
			if err != nil {
				return nil, err
			}
			return &engine.Page[*tracker.Issue]{Nodes: p.Nodes, HasNextPage: p.HasNext, HasPreviousPage: p.HasPrevious, Cursor: p.Cursor}, nil
		})
	})
	engine.Object[struct{}](b, "ArchiveResponse").Const("", "archive").Const(0, "databaseVersion", "totalCount").Empty("includesDependencies")
	t := engine.Connection[*found](b, "IssueSearchPayload")
	engine.One(t, "archivePayload", func(*engine.Page[*found]) *struct{} { return &struct{}{} })
	engine.ResolveField(t, "totalCount", func(c *engine.Call, p *engine.Page[*found]) (int64, error) { return p.Total(c) })
}

type priorityValue struct {
	priority int
	label    string
}

func search(c *engine.Call) (*engine.Page[*found], error) {
	l, err := listOf(c.Args)
	if err != nil {
		return nil, err
	}
	return read(c, func(v *tracker.View) (*engine.Page[*found], error) {
		p, err := v.SearchIssues(tracker.Search{Term: c.Args.String("term"), Team: c.Args.String("teamId"),
			Comments: c.Args.Bool("includeComments"), Query: l})
		if err != nil {
			return nil, err
		}
		out := &engine.Page[*found]{HasNextPage: p.HasNext, HasPreviousPage: p.HasPrevious,
			Cursor: func(f *found) string { return p.Cursor(f.Issue) },
			Total:  func(c *engine.Call) (int64, error) { return read(c, p.Total) }}
		for _, i := range p.Nodes {
			out.Nodes = append(out.Nodes, &found{i})
		}
		return out, nil
	})
}
