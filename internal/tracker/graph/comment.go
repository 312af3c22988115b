package graph

import (
	"time"

	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

func bindComment(b *engine.Builder, l *loaders) {
	type comment = tracker.Comment
	t := engine.Object[comment](b, "Comment")
	based(t, func(x *comment) *entity.Base { return &x.Base })
	t.Field("body", func(x *comment) string { return x.Body })
	t.Field("bodyData", (*comment).BodyData)
	t.Field("editedAt", func(x *comment) *time.Time { return moment(x.Edited) })
	t.Field("resolvedAt", func(x *comment) *time.Time { return moment(x.Resolved) })
	t.Field("quotedText", func(x *comment) *string { return text(x.QuotedText) })
	t.Field("issueId", func(x *comment) *string { return text(x.Issue) })
	t.Field("parentId", func(x *comment) *string { return text(x.Parent) })
	t.Field("projectId", func(x *comment) *string { return text(x.Project) })
	t.Field("resolvingCommentId", func(x *comment) *string { return text(x.ResolvingComment) })
	t.Field("url", func(x *comment) string { return x.Address })
	t.Const([]any{}, "reactionData").Const(false, "hideInLinear", "isArtificialAgentSessionRoot").Empty("reactions")
	t.Absent("onBehalfOf", "threadSummary")
	noIssues(t, "createdIssues")
	t.Null("agentSession", "botActor", "documentContent", "documentContentId", "externalThread", "externalUser", "initiative", "initiativeId",
		"initiativeUpdate", "initiativeUpdateId", "projectUpdate", "projectUpdateId", "syncedWith")
	engine.Ref(t, "issue", l.issues, func(x *comment) string { return x.Issue })
	engine.Ref(t, "parent", l.comments, func(x *comment) string { return x.Parent })
	engine.Ref(t, "project", l.projects, func(x *comment) string { return x.Project })
	engine.Ref(t, "resolvingComment", l.comments, func(x *comment) string { return x.ResolvingComment })
	engine.Ref(t, "resolvingUser", l.users, func(x *comment) string { return x.ResolvingUser })
	engine.Ref(t, "user", l.users, func(x *comment) string { return x.User })
	connect(t, "children", tracker.Comments, "parent", func(x *comment) string { return x.ID })
	engine.Connection[*comment](b, "CommentConnection")
	payloads(b, "comment", "CommentPayload", "", changedEntity[comment])
	root(b, "comments", tracker.Comments)
	engine.Query(b, "comment", func(c *engine.Call) (*comment, error) {
		return read(c, func(v *tracker.View) (*comment, error) {
			if issue := c.Args.String("issueId"); issue != "" && !c.Args.Has("id") {
				return v.FirstComment(issue)
			}
			if id := c.Args.String("id"); id != "" || !c.Args.Has("hash") {
				return tracker.Comments.Get(v, id)
			}
			return v.CommentByHash(c.Args.String("hash"))
		})
	})
	bindCommentMutations(b)
}

func bindCommentMutations(b *engine.Builder) {
	type change = *tracker.Change[tracker.Comment]
	engine.Mutation(b, "commentCreate", func(c *engine.Call) (change, error) {
		in := input(c.Args)
		return of(c).t.CreateComment(c, of(c).p, tracker.CreateComment{ID: in.String("id"), Body: in.String("body"), Issue: in.String("issueId"),
			Project: in.String("projectId"), Parent: in.String("parentId"), QuotedText: in.String("quotedText"), CreatedAt: when(in, "createdAt"),
			DoNotSubscribe: in.Bool("doNotSubscribeToIssue"), Subscribers: in.Strings("subscriberIds")})
	})
	engine.Mutation(b, "commentUpdate", func(c *engine.Call) (change, error) {
		in := input(c.Args)
		return of(c).t.UpdateComment(c, of(c).p, c.Args.String("id"), tracker.UpdateComment{Body: str(in, "body"), QuotedText: str(in, "quotedText"),
			ResolvingUser: str(in, "resolvingUserId"), ResolvingComment: str(in, "resolvingCommentId"),
			Subscribers: engine.OptStrings(in, "subscriberIds"), SkipEditedAt: c.Args.Bool("skipEditedAt")})
	})
	engine.Mutation(b, "commentDelete", func(c *engine.Call) (*deleted, error) {
		return gone(of(c).t.DeleteComment(c, of(c).p, c.Args.String("id")))
	})
	engine.Mutation(b, "commentResolve", func(c *engine.Call) (change, error) {
		return of(c).t.ResolveComment(c, of(c).p, c.Args.String("id"), c.Args.String("resolvingCommentId"), true)
	})
	engine.Mutation(b, "commentUnresolve", func(c *engine.Call) (change, error) {
		return of(c).t.ResolveComment(c, of(c).p, c.Args.String("id"), "", false)
	})
}

func bindCycle(b *engine.Builder, l *loaders) {
	type cycle = tracker.Cycle
	t := engine.Object[cycle](b, "Cycle")
	based(t, func(x *cycle) *entity.Base { return &x.Base })
	t.Field("autoArchivedAt", func(x *cycle) *time.Time { return moment(x.AutoArchived) })
	t.Field("completedAt", func(x *cycle) *time.Time { return moment(x.Completed) })
	t.Field("description", func(x *cycle) *string { return text(x.Description) })
	t.Field("endsAt", func(x *cycle) time.Time { return instant(x.Ends) })
	t.Field("startsAt", func(x *cycle) time.Time { return instant(x.Starts) })
	t.Field("isActive", func(x *cycle) bool { return x.Active })
	t.Field("isFuture", func(x *cycle) bool { return x.Future })
	t.Field("isNext", func(x *cycle) bool { return x.Next })
	t.Field("isPast", func(x *cycle) bool { return x.Past })
	t.Field("isPrevious", func(x *cycle) bool { return x.Previous })
	t.Field("name", func(x *cycle) *string { return text(x.Name) })
	t.Field("number", func(x *cycle) int64 { return x.Number })
	t.Field("progress", func(x *cycle) float64 { return x.Progress })
	t.Field("issueCountHistory", func(x *cycle) []int64 { return x.History.Issues })
	t.Field("completedIssueCountHistory", func(x *cycle) []int64 { return x.History.DoneIssues })
	t.Field("scopeHistory", func(x *cycle) []float64 { return x.History.Scope })
	t.Field("completedScopeHistory", func(x *cycle) []float64 { return x.History.Done })
	t.Field("inProgressScopeHistory", func(x *cycle) []float64 { return x.History.Begun })
	t.Const(map[string]any{}, "currentProgress", "progressHistory").Absent("documents", "inheritedFrom", "links")
	engine.Ref(t, "team", l.teams, func(x *cycle) string { return x.Team })
	id := func(x *cycle) string { return x.ID }
	connect(t, "issues", tracker.Issues, "cycle", id)
	connect(t, "uncompletedIssuesUponClose", tracker.Issues, "uncompleted", id)
	engine.Connection[*cycle](b, "CycleConnection")
	payloads(b, "cycle", "CyclePayload", "CycleArchivePayload", changedEntity[cycle])
	root(b, "cycles", tracker.Cycles)
	one(b, "cycle", (*tracker.View).Cycle)
	type change = *tracker.Change[cycle]
	write := func(a engine.Args) tracker.WriteCycle {
		return tracker.WriteCycle{Name: str(a, "name"), Description: str(a, "description"), Starts: when(a, "startsAt"), Ends: when(a, "endsAt"),
			Completed: when(a, "completedAt")}
	}
	engine.Mutation(b, "cycleCreate", func(c *engine.Call) (change, error) {
		in := write(input(c.Args))
		in.ID, in.Team = input(c.Args).String("id"), input(c.Args).String("teamId")
		return of(c).t.CreateCycle(c, of(c).p, in)
	})
	engine.Mutation(b, "cycleUpdate", func(c *engine.Call) (change, error) {
		return of(c).t.UpdateCycle(c, of(c).p, c.Args.String("id"), write(input(c.Args)))
	})
	engine.Mutation(b, "cycleArchive", func(c *engine.Call) (change, error) {
		return of(c).t.ArchiveCycle(c, of(c).p, c.Args.String("id"))
	})
}
