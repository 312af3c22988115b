package tracker

// closed reports whether an issue is completed or canceled.
func (i *Issue) closed() bool { return i.Completed != 0 || i.Canceled != 0 }

// closeRelatives closes the issues that settings of teams close together with an
// issue that has just been closed: its open sub-issues, into the same type of
// state, and its parent when no sub-issue of it is open any more.
func (w *writer) closeRelatives(old, i *Issue) error {
	if !i.closed() || old.closed() {
		return nil
	}
	kind := "completed"
	if i.Canceled != 0 {
		kind = "canceled"
	}
	settings, err := w.settingsOf(i.Team)
	if err != nil {
		return err
	}
	if yes := settings.AutoCloseChildIssues; yes != nil && *yes {
		children, err := w.openChildren(i.ID)
		if err != nil {
			return err
		}
		for _, child := range children {
			if err := w.closeIssue(child, kind); err != nil {
				return err
			}
		}
	}
	parent, err := Issues.Find(w.View, i.Parent)
	if err != nil || parent == nil || parent.closed() || parent.Archived != 0 {
		return err
	}
	if settings, err = w.settingsOf(parent.Team); err != nil {
		return err
	}
	if yes := settings.AutoCloseParentIssues; yes == nil || !*yes {
		return nil
	}
	open, err := w.openChildren(parent.ID)
	if err != nil || len(open) > 0 {
		return err
	}
	return w.closeIssue(parent, "completed")
}

func (w *writer) settingsOf(team string) (s TeamSettings, err error) {
	t, err := Teams.Find(w.View, team)
	if err != nil || t == nil {
		return s, err
	}
	s, _, err = merge(teamDefaults(), t.Settings, nil)
	return s, err
}

// openChildren returns the sub-issues that are neither closed nor archived,
// oldest first.
func (w *writer) openChildren(issue string) ([]*Issue, error) {
	return Issues.Where(w.View, "t.parent = ? AND t.parent <> '' AND t.archived = 0 AND t.completed = 0 AND t.canceled = 0", issue)
}

// closeIssue moves an issue to the first state of a closing type of its team, and
// closes its relatives. It leaves the issue open when the team has no such state.
func (w *writer) closeIssue(old *Issue, kind string) error {
	s, err := w.firstState(old.Team, kind)
	if err != nil || s == nil {
		return err
	}
	was, err := States.Find(w.View, old.State)
	if err != nil {
		return err
	}
	i := *old
	w.enterState(&i, was, s)
	if _, err := w.saveIssue(old, &i, "update"); err != nil {
		return err
	}
	return w.closeRelatives(old, &i)
}
