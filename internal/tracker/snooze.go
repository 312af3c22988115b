package tracker

// snooze hides an issue until a time, or ends that, as an input demands. A change
// by anyone except the user who snoozed it ends it too.
func (w *writer) snooze(old, i *Issue, in WriteIssue) error {
	if !in.SnoozedUntil.Set && !in.SnoozedBy.Set {
		if i.SnoozedBy != "" && i.SnoozedBy != w.Caller && !Issues.Same(old, i) {
			i.SnoozedUntil, i.SnoozedBy = 0, ""
		}
		return nil
	}
	i.SnoozedUntil = keep(in.SnoozedUntil, i.SnoozedUntil)
	if i.SnoozedUntil <= w.Micros() {
		i.SnoozedUntil, i.SnoozedBy = 0, ""
		return nil
	}
	if i.SnoozedBy == "" || in.SnoozedUntil.Set {
		i.SnoozedBy = w.Caller
	}
	if id, ok := in.SnoozedBy.Get(); ok {
		u, err := w.known(lower(id))
		if err != nil || u == nil || !u.Active {
			return orElse(err, notFoundIn("User", "snoozedById"))
		}
		i.SnoozedBy = u.ID
	}
	return nil
}

// wake ends the snoozing of an issue on which somebody else comments, and returns
// the issue as it is then.
func (w *writer) wake(old *Issue) (*Issue, error) {
	if old.SnoozedBy == "" || old.SnoozedBy == w.Caller {
		return old, nil
	}
	i := *old
	i.SnoozedUntil, i.SnoozedBy = 0, ""
	return w.saveIssue(old, &i, "update")
}
