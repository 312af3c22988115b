package tracker

// snooze begins or ends the snoozing of an issue, depending on an input. A change by
// anyone except the user who snoozed the issue also ends the snoozing.
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

// wake ends the snoozing of an issue on which a user comments, unless that user snoozed
// it. It returns the issue in its new state.
func (w *writer) wake(old *Issue) (*Issue, error) {
	if old.SnoozedBy == "" || old.SnoozedBy == w.Caller {
		return old, nil
	}
	i := *old
	i.SnoozedUntil, i.SnoozedBy = 0, ""
	return w.saveIssue(old, &i, "update")
}
