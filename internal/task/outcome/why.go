package outcome

// Why returns why a run did not pass: its reason, and the first failed check. It
// returns "" for a passed run.
func (r *Run) Why() string {
	if r.State == Passed {
		return ""
	}
	why := r.Reason
	if r.Verdict == nil {
		return why
	}
	for _, c := range r.Verdict.Checks {
		if c.Passed == nil || *c.Passed {
			continue
		}
		text := c.ID
		for _, more := range []string{c.Name, c.Message} {
			if more != "" {
				text += ": " + more
			}
		}
		if why != "" {
			text = why + "; " + text
		}
		return text
	}
	return why
}
