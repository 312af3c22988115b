package tracker

import (
	"reflect"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// refersTo holds the entities that fields refer to, by the name of the field.
var refersTo = map[string]string{"teamId": "team", "teamIds": "team", "stateId": "workflowState", "defaultIssueStateId": "workflowState",
	"triageIssueStateId": "workflowState", "autoCloseStateId": "workflowState", "assigneeId": "user", "creatorId": "user", "userId": "user",
	"leadId": "user", "inviterId": "user", "snoozedById": "user", "resolvingUserId": "user", "retiredById": "user", "subscriberIds": "user",
	"memberIds": "user", "projectId": "project", "cycleId": "cycle", "labelIds": "label", "statusId": "projectStatus", "issueId": "issue",
	"resolvingCommentId": "comment", "uncompletedIssuesUponCloseIds": "issue"}

// follows holds the fields that change as a consequence of other writes, by
// entity; "" is for all entities.
var follows = map[string][]string{
	"": {"updatedAt", "startedAt", "completedAt", "canceledAt", "sortOrder", "prioritySortOrder", "autoArchivedAt"},
	"issue": {"number", "identifier", "previousIdentifiers", "subIssueSortOrder", "subscriberIds", "startedTriageAt", "triagedAt", "addedToTeamAt",
		"addedToProjectAt", "addedToCycleAt", "autoClosedAt", "snoozedById"},
	"comment":      {"editedAt", "resolvingUserId"},
	"cycle":        {"uncompletedIssuesUponCloseIds"},
	"project":      {"slugId"},
	"organization": {"previousUrlKeys"},
}

// marked marks a field of an entity as a reference or as derived.
func marked(c diff.Column, entity, wire string) diff.Column {
	if slices.Contains(follows[""], wire) || slices.Contains(follows[entity], wire) {
		c = c.Derived()
	}
	switch to := refersTo[wire]; {
	case wire == "parentId":
		c = c.Refers(Service + "." + entity)
	case to != "":
		c = c.Refers(Service + "." + to)
	}
	return c
}

// lookups are the names by which people know entities.
var lookups = map[string]*diff.Lookup{
	"issue":         {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "identifier", Fold: true}}},
	"team":          {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "key", Fold: true}, {Column: "name"}}},
	"user":          {Value: "id", Mark: "@", By: []diff.Name{{Column: "id", Fold: true}, {Column: "display_name"}, {Column: "email", Fold: true}, {Column: "name"}}},
	"workflowState": {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "name", Fold: true}}, Several: true},
	"label":         {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "name", Fold: true}}, Several: true},
	"project":       {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "name"}, {Column: "slug_id"}}},
	"projectStatus": {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "name", Fold: true}}},
	"cycle":         {Value: "id", By: []diff.Name{{Column: "id", Fold: true}, {Column: "name"}}},
	"comment":       {Value: "id", By: []diff.Name{{Column: "id", Fold: true}}},
}

// consequences are the consequences of other changes, by entity.
var consequences = map[string][]diff.Consequence{
	"workflowState": {{Of: "tracker.team", When: "the team was created or deleted, or began to triage", Holds: func(it, of *diff.Change) bool {
		return withTeam(it, of) || it.Inserted() && it.After["teamId"] == field(of, "id") && slices.Contains(of.Changed, "triageEnabled")
	}}},
	"label": {{Of: "tracker.team", When: "the team was created or deleted", Holds: withTeam},
		{Of: "tracker.label", When: "it is in a group that was deleted", Holds: func(it, of *diff.Change) bool {
			return it.Deleted() && of.Deleted() && it.Before["parentId"] == of.Before["id"]
		}}},
	"cycle": {{Of: "tracker.team", When: "the team was created or deleted, or how it plans changed", Holds: func(it, of *diff.Change) bool {
		return field(it, "teamId") == field(of, "id")
	}}},
	"teamMembership": {{Of: "tracker.team", When: "the team was created or deleted", Holds: withTeam},
		{Of: "tracker.user", When: "the user is new", Holds: func(it, of *diff.Change) bool {
			return it.Inserted() && of.Inserted() && it.After["userId"] == of.After["id"]
		}}},
	"user": {{Of: "tracker.invitation", When: "the invitation was accepted", Holds: func(it, of *diff.Change) bool { return it.Inserted() && of.Updated() }}, withOrganization},
	"invitation": {{Of: "tracker.user", When: "the user accepted it", Holds: func(it, of *diff.Change) bool {
		return it.Updated() && of.Inserted() && it.After["email"] == of.After["email"]
	}}},
	"projectStatus": {withOrganization},
	"comment": {{Of: "tracker.comment", When: "it is an answer to a comment that was deleted", Holds: func(it, of *diff.Change) bool {
		return it.Deleted() && of.Deleted() && it.Before["parentId"] == of.Before["id"]
	}}, {Of: "tracker.issue", When: "the issue was deleted", Holds: func(it, of *diff.Change) bool {
		return it.Deleted() && of.Deleted() && it.Before["issueId"] == of.Before["id"]
	}}},
	"issue": {{Of: "tracker.issue", When: "the team moves an issue with its parent or its sub-issues, or the parent is gone", Holds: func(it, of *diff.Change) bool {
		return it.Updated() && (it.After["parentId"] == field(of, "id") || it.Before["parentId"] == field(of, "id") || field(of, "parentId") == it.After["id"])
	}}, {Of: "tracker.project", When: "the project was deleted", Holds: func(it, of *diff.Change) bool {
		return it.Updated() && it.Before["projectId"] == field(of, "id") && it.After["projectId"] == nil
	}}, {Of: "tracker.label", When: "the label was deleted", Holds: func(it, of *diff.Change) bool {
		return it.Updated() && slices.Equal(it.Changed, []string{"labelIds"})
	}}, {Of: "tracker.cycle", When: "the cycle ended or was deleted", Holds: func(it, of *diff.Change) bool {
		return it.Updated() && it.Before["cycleId"] == field(of, "id")
	}}},
}

var withOrganization = diff.Consequence{Of: "tracker.organization", When: "the organization was created", Holds: func(it, of *diff.Change) bool {
	return it.Inserted() && of.Inserted()
}}

func withTeam(it, of *diff.Change) bool {
	return it.Inserted() == of.Inserted() && it.Deleted() == of.Deleted() && field(it, "teamId") == field(of, "id")
}

// field returns a field of an entity after a change, or before it when the entity
// was removed.
func field(ch *diff.Change, name string) any {
	if ch.Deleted() {
		return ch.Before[name]
	}
	return ch.After[name]
}

// complete adds to the declaration of an entity the names by which it is known,
// the consequences of other changes, and the fields that are settings.
func complete(e *diff.Entity) {
	e.Lookup, e.Consequences = lookups[e.Name], consequences[e.Name]
	switch e.Name {
	case "team":
		e.More = settingFields(reflect.TypeFor[TeamSettings]())
	case "project":
		e.More = settingFields(reflect.TypeFor[ProjectSettings]())
	case "organization":
		e.More = settingFields(reflect.TypeFor[OrganizationSettings]())
	case "issue":
		e.Plain = func(_ *store.Tx, f map[string]any) (string, error) { return lines(f["title"], f["description"]), nil }
	case "comment":
		e.Plain = func(_ *store.Tx, f map[string]any) (string, error) { return lines(f["body"]), nil }
	}
}

// lines joins the texts that are not empty.
func lines(texts ...any) string {
	var out []string
	for _, t := range texts {
		if s, ok := t.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// settingFields declares the settings of a struct.
func settingFields(t reflect.Type) (out []diff.Field) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		f := diff.F(name, "text")
		kind := t.Field(i).Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Bool:
			f.Type = "boolean"
		case reflect.Float64, reflect.Int, reflect.Int64:
			f.Type = "number"
		case reflect.Slice:
			f.Type = "list"
		}
		if to := refersTo[name]; to != "" {
			f = f.To(Service + "." + to)
		} else {
			f = f.Is("a setting as the upstream calls it")
		}
		out = append(out, f)
	}
	return out
}
