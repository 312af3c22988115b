package tracker

import (
	"cmp"
	"slices"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/tracker/seed"
)

func (w *seeder) seedIssues() error {
	for i := range w.g.doc.Issues {
		e := &w.g.doc.Issues[i]
		issue, err := w.seedIssue(&e.Value)
		if err != nil {
			return err
		}
		w.made.Issues[e.Name] = SeededIssue{issue.ID, issue.Identifier}
	}
	return nil
}

func (w *seeder) seedIssue(in *seed.Issue) (*Issue, error) {
	creator, err := w.user(in.Creator)
	if err != nil {
		return nil, err
	}
	created := in.Created.Or(w.g.now)
	for _, t := range []seeddoc.Time{in.Created, in.Started, in.Completed, in.Canceled, in.Updated} {
		if err := w.past(t); err != nil {
			return nil, err
		}
		if t.Micros != 0 && t.Micros < created {
			return nil, t.Refuse("must not be before the issue was created")
		}
	}
	write, err := w.issueInput(in)
	if err != nil {
		return nil, err
	}
	by := w.as(creator, created)
	issue, err := by.createIssue(write)
	if err != nil {
		return nil, in.Blame(err)
	}
	return w.dateIssue(by, issue, in)
}

func (w *seeder) issueInput(in *seed.Issue) (write WriteIssue, err error) {
	team, err := w.team(in.Team)
	if err != nil {
		return write, err
	}
	write = WriteIssue{ID: in.ID, Team: opt.Some(team.ID), Title: opt.Some(in.Title), Description: set(in.Description),
		Priority: opt.Some(int(in.Priority)), Project: known(w.made.Projects, in.Project), Cycle: known(w.made.Cycles, in.Cycle),
		DueDate: set(string(in.DueDate))}
	if in.Estimate != nil {
		write.Estimate = opt.Some(int(*in.Estimate))
	}
	if in.State != "" {
		state := team.state(in.State)
		if state == "" {
			return write, in.In("state").Refuse("the team %s has no state %q", team.Key, in.State)
		}
		write.State = opt.Some(state)
	}
	if in.Assignee.Name != "" {
		u, err := w.user(in.Assignee)
		if err != nil {
			return write, err
		}
		if u.Active { // dateIssue assigns inactive users, which the rules forbid
			write.Assignee = opt.Some(u.ID)
		}
	}
	if in.Parent.Name != "" {
		parent, err := w.issue(in.Parent)
		if err != nil {
			return write, err
		}
		write.Parent = opt.Some(parent)
	}
	for _, ref := range in.Labels {
		id, err := w.label(ref)
		if err != nil {
			return write, err
		}
		write.Labels.Set = true
		write.Labels.Value = append(write.Labels.Value, id)
	}
	if len(in.Subscribers) > 0 {
		ids, err := w.userIDs(in.Subscribers)
		if err != nil {
			return write, err
		}
		write.Subscribers = opt.Some(ids)
	}
	return write, nil
}

// issue returns the id of the issue that a reference names: by the document's
// name, by id or identifier.
func (w *seeder) issue(ref seeddoc.Ref) (string, error) {
	if made, ok := w.made.Issues[ref.Name]; ok {
		return made.ID, nil
	}
	if slices.ContainsFunc(w.g.doc.Issues, func(e seeddoc.Entry[seed.Issue]) bool { return e.Name == ref.Name }) {
		return "", ref.Refuse("the issue %q must be listed before this one", ref.Name)
	}
	i, err := w.Issue(ref.Name)
	if err != nil {
		return "", orElse(passing(err), ref.Refuse("there is no issue %q in the document or the organization", ref.Name))
	}
	return i.ID, nil
}

// dateIssue sets the times that the document names, and an assignee who has left.
func (w *seeder) dateIssue(by *writer, old *Issue, in *seed.Issue) (*Issue, error) {
	i := *old
	for _, t := range []struct {
		name string
		at   seeddoc.Time
		to   *int64
	}{{"started", in.Started, &i.Started}, {"completed", in.Completed, &i.Completed}, {"canceled", in.Canceled, &i.Canceled}} {
		if t.at.Micros == 0 {
			continue
		}
		if *t.to == 0 {
			return nil, in.In(t.name).Refuse("must be left out: the issue's state does not have this time")
		}
		*t.to = t.at.Micros
	}
	if in.Assignee.Name != "" {
		u, err := w.user(in.Assignee)
		if err != nil {
			return nil, err
		}
		i.Assignee = u.ID
	}
	i.Updated = in.Updated.Or(max(i.Created, i.Started, i.Completed, i.Canceled))
	if _, err := Issues.Update(by.View, old, &i); err != nil {
		return nil, err
	}
	return &i, by.redateTally(old, &i)
}

func (w *seeder) seedComments() error {
	all := make([]*seed.Comment, len(w.g.doc.Comments))
	for i := range w.g.doc.Comments {
		all[i] = &w.g.doc.Comments[i]
		if err := w.past(all[i].Created); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b *seed.Comment) int {
		return cmp.Compare(a.Created.Or(w.g.now), b.Created.Or(w.g.now))
	})
	for _, in := range all {
		user, err := w.user(in.User)
		if err != nil {
			return err
		}
		write := CreateComment{ID: in.ID, Body: in.Body, Project: known(w.made.Projects, in.Project).Value, Parent: known(w.made.Comments, in.Parent).Value}
		if in.Issue.Name != "" {
			if write.Issue, err = w.issue(in.Issue); err != nil {
				return err
			}
		}
		c, err := w.as(user, in.Created.Or(w.g.now)).createComment(write)
		if err != nil {
			return in.Blame(err)
		}
		if in.Key != "" {
			w.made.Comments[in.Key] = SeededEntity{c.ID}
		}
	}
	return nil
}
