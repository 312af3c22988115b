package tracker

import (
	"context"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/tracker/entity"
)

// UpdateIssue changes an issue by id or identifier. It returns NotFound,
// BadArgument, BadInput.
func (t *Tracker) UpdateIssue(ctx context.Context, p *auth.Principal, id string, in WriteIssue) (*Change[Issue], error) {
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) { return w.updateIssue(id, in) })
}

func (w *writer) updateIssue(id string, in WriteIssue) (*Issue, error) {
	old, err := w.Issue(id)
	if err != nil {
		return nil, err
	}
	i := *old
	team, err := w.moveIssue(&i, in)
	if err != nil {
		return nil, err
	}
	if err := w.fillIssue(&i, team, in); err != nil {
		return nil, err
	}
	if err := w.joinCycle(&i, team, old.State, in); err != nil {
		return nil, err
	}
	if err := w.snooze(old, &i, in); err != nil {
		return nil, err
	}
	if in.Trashed.Set {
		w.trash(&i.Trashed, &i.Archived, in.Trashed.Value)
	}
	saved, err := w.saveIssue(old, &i, trashAction(old.Trashed, i.Trashed))
	if err != nil {
		return nil, err
	}
	return saved, w.closeRelatives(old, saved)
}

// trashAction returns the action of the event for a change of the trashed mark from
// was to is: "remove" if it moves the entity to the trash, "update" otherwise.
func trashAction(was, is bool) string { return pick(is && !was, "remove", "update") }

// trash moves an entity to the trash or out of it, and archives or restores it too. It
// changes nothing if the entity is there already. An entity that was archived before
// keeps that time in the trash.
func (w *writer) trash(trashed *bool, archived *int64, yes bool) {
	switch {
	case yes && !*trashed:
		*trashed = true
		if *archived == 0 {
			*archived = w.Micros()
		}
	case !yes && *trashed:
		*trashed, *archived = false, 0
	}
}

// saveIssue stores a changed issue, its links and the counts of its team, and appends
// the event of an action.
func (w *writer) saveIssue(old, i *Issue, action string) (*Issue, error) {
	if old.Archived != 0 && i.Archived == 0 {
		i.AutoArchived, i.Restored = 0, w.Micros()
	}
	if err := w.dueChange(old, i); err != nil {
		return nil, err
	}
	if err := w.linkIssue(old, i); err != nil {
		return nil, err
	}
	if was, is := old.Archived != 0, i.Archived != 0; was != is { // moveIssue counted the issue in its old state
		step := 1
		if is {
			step = -1
		}
		if err := countIssues(w.Tx, w.Tenant, i.Team, step, -step); err != nil {
			return nil, err
		}
	}
	saved, err := savedAs(w, Issues, old, i, action)
	if err != nil || saved == old {
		return saved, err
	}
	if err := w.tallyIssue(old, i); err != nil {
		return nil, err
	}
	return saved, w.reindex(i.ID, true)
}

// moveIssue moves an issue to the team in the input, if there is one. It returns the
// team to which the issue belongs afterwards.
func (w *writer) moveIssue(i *Issue, in WriteIssue) (*Team, error) {
	id, ok := in.Team.Get()
	if !ok || lower(id) == i.Team {
		return w.teamOf(i.Team)
	}
	if err := entity.CheckUUID("teamId", id); err != nil {
		return nil, err
	}
	team, err := Teams.Get(w.View, id)
	if err != nil {
		return nil, err
	}
	if err := insertAlias(w.Tx, i); err != nil {
		return nil, err
	}
	open, archived := 1, 0
	if i.Archived != 0 {
		open, archived = 0, 1
	}
	if err := countIssues(w.Tx, w.Tenant, i.Team, -open, -archived); err != nil {
		return nil, err
	}
	number, top, err := nextNumber(w.Tx, w.Tenant, team.ID)
	if err != nil {
		return nil, err
	}
	if archived == 1 { // nextNumber counted the issue as open
		if err := countIssues(w.Tx, w.Tenant, team.ID, -1, 1); err != nil {
			return nil, err
		}
	}
	i.Previous = entity.Join(append(entity.Split(i.Previous), i.Identifier))
	i.Team, i.Number, i.Identifier, i.SortOrder, i.AddedToTeam = team.ID, number, team.Key+"-"+digits(number), top, w.Micros()
	i.Cycle, i.AddedToCycle = "", 0
	if i.Project != "" && !in.Project.Set {
		p, err := Projects.Find(w.View, i.Project)
		if err != nil {
			return nil, err
		}
		if p == nil || !contains(p.TeamIDs, team.ID) {
			i.Project, i.AddedToProject = "", 0
		}
	}
	if err := w.moveComments(i); err != nil {
		return nil, err
	}
	if err := w.keepLabels(i); err != nil {
		return nil, err
	}
	return team, w.translateState(i, team, in)
}

// teamOf returns a team with its settings, but without the fields that completeTeams
// sets. It returns NotFound.
func (w *writer) teamOf(id string) (*Team, error) {
	t, err := Teams.Find(w.View, id)
	hidden, known := w.unseen()
	if err != nil || t == nil || !known || slices.Contains(hidden, id) {
		return nil, orElse(err, notFound("Team"))
	}
	t.Options, _, err = merge(teamDefaults(), t.Settings, nil)
	return t, err
}

// keepLabels removes the labels of other teams from an issue.
func (w *writer) keepLabels(i *Issue) error {
	ids := entity.Split(i.LabelIDs)
	if len(ids) == 0 {
		return nil
	}
	found, err := Labels.ByID(w.View, ids)
	var kept []string
	for _, id := range ids {
		if l := found[id]; l != nil && (l.Team == "" || l.Team == i.Team) {
			kept = append(kept, id)
		}
	}
	i.LabelIDs = entity.Join(kept)
	return err
}

// translateState moves an issue that changed teams to the first state of the new team
// with the same type, or else to the team's default state. It does nothing if the
// input names a state.
func (w *writer) translateState(i *Issue, team *Team, in WriteIssue) error {
	old, err := States.Find(w.View, i.State)
	if err != nil || in.State.Set && !in.State.Null {
		return err
	}
	s, err := w.firstState(team.ID, old.Type)
	if err == nil && s == nil {
		s, err = w.defaultState(team)
	}
	if err == nil {
		w.enterState(i, old, s)
	}
	return err
}

// ArchiveIssue archives an issue, or trashes it. It returns NotFound.
func (t *Tracker) ArchiveIssue(ctx context.Context, p *auth.Principal, id string, trash bool) (*Change[Issue], error) {
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) {
		old, err := w.Issue(id)
		if err != nil {
			return nil, err
		}
		i := *old
		if i.Archived == 0 {
			i.Archived = w.Micros()
		}
		i.Trashed = i.Trashed || trash
		return w.saveIssue(old, &i, pick(i.Trashed, "remove", archiveAction))
	})
}

// UnarchiveIssue restores an archived or trashed issue. It returns NotFound.
func (t *Tracker) UnarchiveIssue(ctx context.Context, p *auth.Principal, id string) (*Change[Issue], error) {
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) {
		old, err := w.Issue(id)
		if err != nil {
			return nil, err
		}
		i := *old
		i.Archived, i.Trashed = 0, false
		return w.saveIssue(old, &i, "update")
	})
}

// DeleteIssue moves an issue to the trash or, with forGood, deletes it; then the
// change has no entity. It returns NotFound, and Forbidden with forGood unless
// the caller is an admin.
func (t *Tracker) DeleteIssue(ctx context.Context, p *auth.Principal, id string, forGood bool) (*Change[Issue], error) {
	if !forGood {
		return t.ArchiveIssue(ctx, p, id, true)
	}
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) {
		if err := w.admin(); err != nil {
			return nil, err
		}
		i, err := w.Issue(id)
		if err != nil {
			return nil, err
		}
		gone := *i
		gone.Archived = max(gone.Archived, w.Micros())
		if err := w.dueChange(i, &gone); err != nil {
			return nil, err
		}
		if err := w.removeIssue(i); err != nil {
			return nil, err
		}
		return nil, emit(w, Issues, i, "remove", nil)
	})
}

// LabelIssue adds a label to an issue, or removes it. It returns NotFound and
// BadInput.
func (t *Tracker) LabelIssue(ctx context.Context, p *auth.Principal, id, label string, on bool) (*Change[Issue], error) {
	in := WriteIssue{Added: []string{label}}
	if !on {
		in = WriteIssue{Removed: []string{label}}
	}
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) {
		if _, err := Labels.Get(w.View, label); err != nil {
			return nil, err
		}
		return w.updateIssue(id, in)
	})
}

// SubscribeIssue subscribes a user to an issue, or unsubscribes them: the user
// with an id or an e-mail address, or the caller. It returns NotFound.
func (t *Tracker) SubscribeIssue(ctx context.Context, p *auth.Principal, id, user, email string, on bool) (*Change[Issue], error) {
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) {
		old, err := w.Issue(id)
		if err != nil {
			return nil, err
		}
		u := w.viewer
		if user != "" {
			if u, err = w.User(user); err != nil {
				return nil, err
			}
		} else if email != "" {
			found, err := Users.Where(w.View, "t.email = ?", lower(email))
			if err != nil || len(found) == 0 {
				return nil, orElse(err, notFound("User"))
			}
			u = found[0]
		}
		i := *old
		if ids := without(entity.Split(i.SubscriberIDs), []string{u.ID}); on {
			i.SubscriberIDs = entity.Join(unique(append(entity.Split(i.SubscriberIDs), u.ID)))
		} else {
			i.SubscriberIDs = entity.Join(ids)
		}
		return w.saveIssue(old, &i, "update")
	})
}

// Batch is the outcome of a write of several issues.
type Batch struct {
	Issues     []*Issue
	LastSyncID int64
}

// maxBatch is the greatest number of issues that one call may write.
const maxBatch = 50

// CreateIssues creates several issues, all or none. It returns the errors of
// CreateIssue, and BadArgument for more than maxBatch issues.
func (t *Tracker) CreateIssues(ctx context.Context, p *auth.Principal, in []WriteIssue) (*Batch, error) {
	if len(in) > maxBatch {
		return nil, badArgument("issues", "issues must contain no more than %d elements", maxBatch)
	}
	b := &Batch{}
	n, err := t.write(ctx, p, func(w *writer) error {
		b.Issues = nil
		for _, one := range in {
			i, err := w.createIssue(one)
			if err != nil {
				return err
			}
			b.Issues = append(b.Issues, i)
		}
		return nil
	})
	b.LastSyncID = n
	return b, err
}

// UpdateIssues changes several issues in the same way, all or none. It returns the
// errors of UpdateIssue, and BadArgument for more than maxBatch issues.
func (t *Tracker) UpdateIssues(ctx context.Context, p *auth.Principal, ids []string, in WriteIssue) (*Batch, error) {
	if len(ids) > maxBatch {
		return nil, badArgument("ids", "ids must contain no more than %d elements", maxBatch)
	}
	if err := entity.CheckUUIDs("ids", ids); err != nil {
		return nil, err
	}
	b := &Batch{}
	n, err := t.write(ctx, p, func(w *writer) error {
		b.Issues = nil
		for _, id := range unique(ids) {
			i, err := w.updateIssue(id, in)
			if err != nil {
				return err
			}
			b.Issues = append(b.Issues, i)
		}
		return nil
	})
	b.LastSyncID = n
	return b, err
}
