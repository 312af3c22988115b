package graph

import (
	"encoding/json"
	"time"

	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

type project = tracker.Project

func bindProject(b *engine.Builder, l *loaders) {
	t := engine.Object[project](b, "Project")
	based(t, func(p *project) *entity.Base { return &p.Base })
	t.Field("name", func(p *project) string { return p.Name })
	t.Field("slugId", func(p *project) string { return p.SlugID })
	t.Field("description", func(p *project) string { return p.Description })
	t.Field("content", func(p *project) *string { return text(p.Content) })
	t.Field("icon", func(p *project) *string { return text(p.Icon) })
	t.Field("color", func(p *project) string { return p.Color })
	t.Field("priority", func(p *project) int64 { return p.Priority })
	t.Field("priorityLabel", func(p *project) string { return tracker.PriorityLabels[p.Priority] })
	t.Field("sortOrder", func(p *project) float64 { return p.SortOrder })
	t.Field("prioritySortOrder", func(p *project) float64 { return p.PrioritySortOrder })
	t.Field("startDate", func(p *project) *string { return text(p.StartDate) })
	t.Field("startDateResolution", func(p *project) *string { return text(p.StartResolution) })
	t.Field("targetDate", func(p *project) *string { return text(p.TargetDate) })
	t.Field("targetDateResolution", func(p *project) *string { return text(p.TargetResolution) })
	t.Field("startedAt", func(p *project) *time.Time { return moment(p.Started) })
	t.Field("completedAt", func(p *project) *time.Time { return moment(p.Completed) })
	t.Field("canceledAt", func(p *project) *time.Time { return moment(p.Canceled) })
	t.Field("state", func(p *project) string { return p.StatusType })
	t.Field("progress", func(p *project) float64 { return p.Progress })
	t.Field("scope", func(p *project) float64 { return p.Scope })
	t.Field("trashed", func(p *project) *bool {
		if !p.Trashed {
			return nil
		}
		return &p.Trashed
	})
	engine.ResolveField(t, "url", func(c *engine.Call, p *project) (string, error) {
		v, err := naming(c)
		if err != nil {
			return "", err
		}
		return v.ProjectURL(p), nil
	})
	t.Field("frequencyResolution", func(p *project) string { return p.Options.FrequencyResolution })
	t.Field("projectUpdateRemindersPausedUntilAt", func(p *project) json.RawMessage {
		raw, _ := json.Marshal(p.Options.RemindersPausedUntil)
		if string(raw) == "null" {
			return nil
		}
		return raw
	})
	t.Field("slackIssueComments", func(p *project) bool { return p.Options.SlackComments })
	t.Field("slackIssueStatuses", func(p *project) bool { return p.Options.SlackStatuses })
	t.Field("slackNewIssue", func(p *project) bool { return p.Options.SlackNew })
	t.Field("updateReminderFrequency", func(p *project) *float64 { return p.Options.ReminderFrequency })
	t.Field("updateReminderFrequencyInWeeks", func(p *project) *float64 { return p.Options.ReminderFrequencyWeeks })
	t.Field("updateRemindersDay", func(p *project) *string { return p.Options.RemindersDay })
	t.Field("updateRemindersHour", func(p *project) *float64 { return p.Options.RemindersHour })
	t.Const(0, "resourceCount").Const(map[string]any{}, "currentProgress", "progressHistory").Const("", "leadTeamId")
	t.Absent("attachments", "contentState", "documents", "externalLinks", "history", "identifier", "initiativeToProjects", "initiatives",
		"inverseRelations", "labels", "leadTeam", "links", "milestone", "needs", "previousIdentifiers", "projectMilestones", "projectUpdates", "relations")
	t.Empty("completedIssueCountHistory", "completedScopeHistory", "inProgressScopeHistory", "issueCountHistory", "scopeHistory", "labelIds")
	t.Field("autoArchivedAt", func(p *project) *time.Time { return moment(p.AutoArchived) })
	t.Null("convertedFromIssue", "documentContent", "favorite", "health", "healthUpdatedAt", "integrationsSettings",
		"lastAppliedTemplate", "lastUpdate", "microsoftTeamsChannelId", "slackChannelId", "syncedWith")
	engine.Ref(t, "creator", l.users, func(p *project) string { return p.Creator })
	engine.Ref(t, "lead", l.users, func(p *project) string { return p.Lead })
	engine.Ref(t, "status", l.statuses, func(p *project) string { return p.Status })
	id := func(p *project) string { return p.ID }
	connect(t, "comments", tracker.Comments, "project", id)
	connect(t, "issues", tracker.Issues, "project", id)
	connect(t, "members", tracker.Users, "project", id)
	connect(t, "teams", tracker.Teams, "project", id)
	engine.Connection[*project](b, "ProjectConnection")
	payloads(b, "project", "ProjectPayload", "ProjectArchivePayload", changedEntity[project])
	bindProjectStatus(b)
	bindProjectOperations(b)
}

func bindProjectStatus(b *engine.Builder) {
	type status = tracker.ProjectStatus
	t := engine.Object[status](b, "ProjectStatus")
	based(t, func(s *status) *entity.Base { return &s.Base })
	t.Field("name", func(s *status) string { return s.Name })
	t.Field("color", func(s *status) string { return s.Color })
	t.Field("description", func(s *status) *string { return text(s.Description) })
	t.Field("type", func(s *status) string { return s.Type })
	t.Field("position", func(s *status) float64 { return s.Position })
	t.Absent("inheritedFrom", "team", "teamId")
	t.Field("indefinite", func(s *status) bool { return s.Indefinite })
	engine.Connection[*status](b, "ProjectStatusConnection")
	root(b, "projectStatuses", tracker.ProjectStatuses)
	one(b, "projectStatus", tracker.ProjectStatuses.Get)
}

func bindProjectOperations(b *engine.Builder) {
	root(b, "projects", tracker.Projects)
	one(b, "project", (*tracker.View).Project)
	type change = *tracker.Change[project]
	engine.Mutation(b, "projectCreate", func(c *engine.Call) (change, error) {
		return of(c).t.CreateProject(c, of(c).p, projectInput(input(c.Args), false))
	})
	engine.Mutation(b, "projectUpdate", func(c *engine.Call) (change, error) {
		return of(c).t.UpdateProject(c, of(c).p, c.Args.String("id"), projectInput(input(c.Args), true))
	})
	engine.Mutation(b, "projectDelete", func(c *engine.Call) (change, error) {
		return of(c).t.ArchiveProject(c, of(c).p, c.Args.String("id"), true)
	})
	engine.Mutation(b, "projectArchive", func(c *engine.Call) (change, error) {
		return of(c).t.ArchiveProject(c, of(c).p, c.Args.String("id"), c.Args.Bool("trash"))
	})
	engine.Mutation(b, "projectUnarchive", func(c *engine.Call) (change, error) {
		return of(c).t.UnarchiveProject(c, of(c).p, c.Args.String("id"))
	})
}

func bindWebhook(b *engine.Builder, l *loaders) {
	type hook = tracker.Webhook
	t := engine.Object[hook](b, "Webhook")
	based(t, func(h *hook) *entity.Base { return &h.Base })
	t.Field("teamIds", func(h *hook) []string {
		if h.Team == "" {
			return []string{}
		}
		return []string{h.Team}
	})
	t.Field("label", func(h *hook) *string { return text(h.Label) })
	t.Field("url", func(h *hook) *string { return text(h.URL) })
	t.Field("secret", func(h *hook) *string { return text(h.Secret) })
	t.Field("allPublicTeams", func(h *hook) bool { return h.AllPublicTeams })
	t.Field("enabled", func(h *hook) bool { return h.Enabled })
	t.Field("resourceTypes", func(h *hook) []string { return entity.Split(h.ResourceTypes) })
	engine.Ref(t, "creator", l.users, func(h *hook) string { return h.Creator })
	engine.Ref(t, "team", l.teams, func(h *hook) string { return h.Team })
	engine.Connection[*hook](b, "WebhookConnection")
	payloads(b, "webhook", "WebhookPayload", "", changedEntity[hook])
	root(b, "webhooks", tracker.Webhooks)
	one(b, "webhook", (*tracker.View).Webhook)
	type change = *tracker.Change[hook]
	write := func(a engine.Args) tracker.WriteWebhook {
		return tracker.WriteWebhook{URL: str(a, "url"), Label: str(a, "label"), Secret: str(a, "secret"), Enabled: yes(a, "enabled"),
			ResourceTypes: engine.OptStrings(a, "resourceTypes")}
	}
	engine.Mutation(b, "webhookCreate", func(c *engine.Call) (change, error) {
		a := input(c.Args)
		in := write(a)
		in.ID, in.Team, in.AllPublicTeams = a.String("id"), str(a, "teamId"), yes(a, "allPublicTeams")
		return of(c).t.CreateWebhook(c, of(c).p, in)
	})
	engine.Mutation(b, "webhookUpdate", func(c *engine.Call) (change, error) {
		return of(c).t.UpdateWebhook(c, of(c).p, c.Args.String("id"), write(input(c.Args)))
	})
	engine.Mutation(b, "webhookDelete", func(c *engine.Call) (*deleted, error) {
		return gone(of(c).t.DeleteWebhook(c, of(c).p, c.Args.String("id")))
	})
	r := engine.Object[rotated](b, "WebhookRotateSecretPayload")
	r.Const(true, "success").Field("lastSyncId", func(r *rotated) int64 { return r.LastSyncID })
	r.Field("secret", func(r *rotated) string { return r.Entity.Secret })
	engine.Mutation(b, "webhookRotateSecret", func(c *engine.Call) (*rotated, error) {
		done, err := of(c).t.RotateWebhookSecret(c, of(c).p, c.Args.String("id"))
		if err != nil {
			return nil, err
		}
		return &rotated{done}, nil
	})
}

// rotated is a webhook with its new secret.
type rotated struct {
	*tracker.Change[tracker.Webhook]
}
