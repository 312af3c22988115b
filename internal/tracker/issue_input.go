package tracker

import (
	"strings"

	"understudy/internal/tracker/entity"
)

// fillIssue checks an input and applies it to an issue of a team.
func (w *writer) fillIssue(i *Issue, team *Team, in WriteIssue) error {
	for _, step := range []func(*Issue, *Team, WriteIssue) error{w.fillTexts, w.fillState, w.fillAssignee, w.fillParent,
		w.fillProject, w.fillCycle, w.fillLabels, w.fillSubscribers} {
		if err := step(i, team, in); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) fillTexts(i *Issue, _ *Team, in WriteIssue) error {
	if in.Title.Set {
		if err := required("title", in.Title.Value, 512); err != nil {
			return err
		}
		i.Title = in.Title.Value
	}
	if err := within("description", in.Description.Value, 100_000); err != nil {
		return err
	}
	i.Description = keep(in.Description, i.Description)
	if in.Priority.Set {
		if in.Priority.Value < 0 || in.Priority.Value > 4 {
			return badArgument("priority", "%s", pick(in.Priority.Value < 0, "priority must not be less than 0", "priority must not be greater than 4"))
		}
		i.Priority = int64(in.Priority.Value)
	}
	if in.Estimate.Set {
		i.Estimate = nil
		if n, ok := in.Estimate.Get(); ok {
			if n < 0 {
				return badArgument("estimate", "estimate must not be less than 0")
			}
			f := float64(n)
			i.Estimate = &f
		}
	}
	i.DueDate = keep(in.DueDate, i.DueDate)
	i.SortOrder, i.PrioritySortOrder = in.SortOrder.Or(i.SortOrder), in.PriorityOrder.Or(i.PrioritySortOrder)
	return nil
}

func (w *writer) fillState(i *Issue, team *Team, in WriteIssue) error {
	id, ok := in.State.Get()
	if !ok {
		return nil
	}
	if err := entity.CheckUUID("stateId", id); err != nil {
		return err
	}
	s, err := States.Find(w.View, lower(id))
	switch {
	case err != nil:
		return err
	case s == nil || s.Archived != 0:
		return notFoundIn("WorkflowState", "stateId")
	case s.Team != team.ID:
		return discrepancy()
	case s.ID == i.State:
		return nil
	}
	old, err := States.Find(w.View, i.State)
	if err != nil {
		return err
	}
	leaves := old != nil && old.Type == "triage" && s.Type != "triage" && s.Type != "canceled" && s.Type != "duplicate"
	if leaves && team.Options.PriorityToLeaveTriage && i.Priority == 0 {
		return badInput("The team wants issues to have a priority before they leave triage.")
	}
	w.enterState(i, old, s)
	return nil
}

// enterState moves an issue from a state to state s, and sets the times of the issue
// that depend on the types of the states.
func (w *writer) enterState(i *Issue, old, s *WorkflowState) {
	i.State = s.ID
	if !s.closes() {
		i.AutoClosed = 0
	}
	if old != nil && old.Type == "triage" && s.Type != "triage" {
		i.Triaged, i.SnoozedUntil, i.SnoozedBy = w.Micros(), 0, ""
	}
	switch s.Type {
	case "started":
		i.Completed, i.Canceled = 0, 0
		if i.Started == 0 {
			i.Started = w.Micros()
		}
	case "completed":
		i.Canceled = 0
		if i.Started == 0 {
			i.Started = w.Micros()
		}
		if i.Completed == 0 {
			i.Completed = w.Micros()
		}
	case "canceled", "duplicate":
		i.Completed = 0
		if i.Canceled == 0 {
			i.Canceled = w.Micros()
		}
	default:
		i.Started, i.Completed, i.Canceled = 0, 0, 0
		if s.Type == "triage" && i.StartedTriage == 0 {
			i.StartedTriage = w.Micros()
		}
	}
}

func (w *writer) fillAssignee(i *Issue, _ *Team, in WriteIssue) error {
	id, ok := in.Assignee.Get()
	if !ok {
		i.Assignee = keep(in.Assignee, i.Assignee)
		return nil
	}
	if err := entity.CheckUUID("assigneeId", id); err != nil {
		return err
	}
	u, err := w.known(lower(id))
	if err != nil || u == nil || !u.Active {
		return orElse(err, notFoundIn("User", "assigneeId"))
	}
	if i.Assignee != u.ID { // an existing assignee may have unsubscribed
		i.Assignee = u.ID
		i.SubscriberIDs = entity.Join(unique(append(entity.Split(i.SubscriberIDs), u.ID)))
	}
	return nil
}

func (w *writer) fillParent(i *Issue, _ *Team, in WriteIssue) error {
	if !in.Parent.Set {
		if n, ok := in.SubSortOrder.Get(); ok && i.Parent != "" {
			i.SubSortOrder = &n
		}
		return nil
	}
	i.Parent, i.SubSortOrder = "", nil
	id, ok := in.Parent.Get()
	if !ok {
		return nil
	}
	parent, err := w.Issue(id)
	if err != nil {
		return orElse(passing(err), notFoundIn("Issue", "parentId"))
	}
	below, err := issueWithin(w.View, parent.ID, i.ID)
	if err != nil || below {
		return orElse(err, badInput("An issue cannot be a sub-issue of itself."))
	}
	i.Parent = parent.ID
	order := in.SubSortOrder.Or(i.SortOrder)
	i.SubSortOrder = &order
	return nil
}

func (w *writer) fillProject(i *Issue, team *Team, in WriteIssue) error {
	if !in.Project.Set {
		return nil
	}
	id, ok := in.Project.Get()
	if !ok {
		i.Project, i.AddedToProject = "", 0
		return nil
	}
	if err := entity.CheckUUID("projectId", id); err != nil {
		return err
	}
	p, err := Projects.Find(w.View, lower(id))
	if err != nil || p == nil || p.Archived != 0 {
		return orElse(err, notFoundIn("Project", "projectId"))
	}
	if !contains(p.TeamIDs, team.ID) {
		return discrepancy()
	}
	if i.Project != p.ID {
		i.Project, i.AddedToProject = p.ID, w.Micros()
	}
	return nil
}

// contains reports whether an id is in a list column.
func contains(ids, id string) bool { return strings.Contains(" "+ids+" ", " "+id+" ") }

func (w *writer) fillCycle(i *Issue, team *Team, in WriteIssue) error {
	if !in.Cycle.Set {
		return nil
	}
	id, ok := in.Cycle.Get()
	if !ok {
		i.Cycle, i.AddedToCycle = "", 0
		return nil
	}
	if err := entity.CheckUUID("cycleId", id); err != nil {
		return err
	}
	c, err := Cycles.Find(w.View, lower(id))
	if err != nil || c == nil || c.Archived != 0 {
		return orElse(err, notFoundIn("Cycle", "cycleId"))
	}
	if c.Team != team.ID {
		return discrepancy()
	}
	if i.Cycle != c.ID {
		i.Cycle, i.AddedToCycle = c.ID, w.Micros()
	}
	return nil
}

// fillLabels replaces the labels of an issue, or adds and removes some.
func (w *writer) fillLabels(i *Issue, team *Team, in WriteIssue) error {
	if in.Labels.Set && (len(in.Added) > 0 || len(in.Removed) > 0) {
		return badInput("labelIds cannot be given together with addedLabelIds or removedLabelIds.")
	}
	if !in.Labels.Set && len(in.Added) == 0 && len(in.Removed) == 0 {
		return nil
	}
	for _, x := range []struct {
		field string
		ids   []string
	}{{"labelIds", in.Labels.Value}, {"addedLabelIds", in.Added}, {"removedLabelIds", in.Removed}} {
		if err := entity.CheckUUIDs(x.field, x.ids); err != nil {
			return err
		}
	}
	had := entity.Split(i.LabelIDs)
	want, field := unique(append(had, in.Added...)), "addedLabelIds"
	if in.Labels.Set {
		want, field = unique(in.Labels.Value), "labelIds"
	}
	want = without(want, unique(in.Removed))
	if len(want) > 100 {
		return badArgument(field, "%s must contain no more than 100 elements", field)
	}
	if len(want) > 0 {
		found, err := Labels.ByID(w.View, want)
		if err != nil {
			return err
		}
		groups := map[string]*Label{}
		for _, id := range want {
			l := found[id]
			switch {
			case l == nil || l.Archived != 0:
				return notFoundIn("IssueLabel", field)
			case l.IsGroup:
				return phrased("labelIds contain parent labels", "The label '%s' is a group and cannot be assigned to issues directly.", l.Name)
			case l.Team != "" && l.Team != team.ID:
				return phrased("labelIds for incorrect team", "The label '%s' is not associated with the same team as the issue.", l.Name)
			case l.Parent == "":
			case groups[l.Parent] != nil:
				return phrased("labelIds not exclusive child labels",
					"The label '%s' is in the same group as '%s'. Only one label in a group can be applied to an issue.", l.Name, groups[l.Parent].Name)
			default:
				groups[l.Parent] = l
			}
		}
	}
	i.LabelIDs = relist(i.LabelIDs, want)
	return nil
}

func without(ids, gone []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !contains(entity.Join(gone), id) {
			out = append(out, id)
		}
	}
	return out
}

func (w *writer) fillSubscribers(i *Issue, _ *Team, in WriteIssue) error {
	ids, ok := in.Subscribers.Get()
	if !ok {
		return nil
	}
	if err := entity.CheckUUIDs("subscriberIds", ids); err != nil {
		return err
	}
	ids = unique(ids)
	if len(ids) > 0 {
		found, err := Users.ByID(w.View, ids)
		if err != nil || len(found) < len(ids) {
			return orElse(err, notFoundIn("User", "subscriberIds"))
		}
	}
	i.SubscriberIDs = relist(i.SubscriberIDs, ids)
	return nil
}
