package graph

import (
	"fmt"
	"slices"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// bindScalars binds the custom scalars: times are read as microseconds, dates as
// YYYY-MM-DD, and those of filters as an entity.Moment.
func bindScalars(b *engine.Builder) {
	texts := func(what string, parse func(string) (any, bool)) engine.Scalar {
		return engine.Scalar{Parse: func(v any) (any, error) {
			if s, ok := v.(string); ok {
				if out, ok := parse(s); ok {
					return out, nil
				}
			}
			return nil, fmt.Errorf("%v is not %s", v, what)
		}}
	}
	b.Scalar("DateTime", texts("a valid ISO 8601 date-time", func(s string) (any, bool) {
		t, ok := entity.ParseTime(s)
		return t.UnixMicro(), ok
	}))
	b.Scalar("TimelessDate", texts("a valid date", func(s string) (any, bool) { return boxed(entity.ParseDate(s)) }))
	b.Scalar("DateTimeOrDuration", texts("a valid date-time or duration", func(s string) (any, bool) { return boxed(entity.ParseMoment(s)) }))
	b.Scalar("TimelessDateOrDuration", texts("a valid date or duration", func(s string) (any, bool) { return boxed(entity.ParseMoment(s)) }))
	b.Scalar("UUID", texts("a UUID", func(s string) (any, bool) { return s, true }))
}

func boxed[T any](v T, ok bool) (any, bool) { return v, ok }

// listOf reads the arguments of a connection, and ignores other arguments of the
// field.
func listOf(a engine.Args) (l entity.Query, err error) {
	for name, v := range a.All() {
		if v == nil {
			continue
		}
		switch name {
		case "first":
			n := v.(int)
			l.First = &n
		case "last":
			n := v.(int)
			l.Last = &n
		case "after":
			l.After = v.(string)
		case "before":
			l.Before = v.(string)
		case "orderBy":
			l.OrderBy = v.(string)
		case "includeArchived":
			l.IncludeArchived = v.(bool)
		case "includeDisabled":
			l.Disabled = v.(bool)
		case "filter":
			l.Filter = filterOf(v.(engine.Args))
		case "sort":
			for _, key := range a.Objects("sort") {
				s, err := sortOf(key)
				if err != nil {
					return l, err
				}
				l.Sort = append(l.Sort, s)
			}
		}
	}
	return l, nil
}

func sortOf(a engine.Args) (s entity.Ordering, err error) {
	n, highest := 0, false
	for name, v := range a.All() {
		by, ok := v.(engine.Args)
		if !ok {
			continue
		}
		n++
		s.Key = name
		for option, v := range by.All() {
			switch option {
			case "order":
				s.Descending = v == "Descending"
			case "nulls":
				s.NullsFirst = v == "first"
			case "noPriorityFirst":
				highest = v == true
			case "usePrioritySortOrderTiebreaker":
				s.Tiebreak = v == true
			}
		}
	}
	if s.Key == "priority" { // no priority is the lowest, or with noPriorityFirst the highest
		s.NullsFirst = highest == s.Descending
	}
	if n != 1 {
		err = tracker.BadArgument.At("sort").Detailf("each value in sort must name one key")
	}
	return s, err
}

func filterOf(a engine.Args) entity.Filter {
	out := make(entity.Filter, 0, a.Len())
	for name, v := range a.All() {
		out = append(out, entity.Term{Name: name, Value: condition(v)})
	}
	return out
}

func condition(v any) any {
	switch v := v.(type) {
	case engine.Args:
		return filterOf(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = condition(v[i])
		}
		return out
	case int:
		return float64(v)
	}
	return v
}

// settings returns the fields of an input that are stored unchanged: all except
// but.
func settings(a engine.Args, but ...string) map[string]any {
	out := map[string]any{}
	for name, v := range a.All() {
		if !slices.Contains(but, name) {
			out[name] = v
		}
	}
	return out
}

func input(a engine.Args) engine.Args {
	in, _ := a.Object("input")
	return in
}

func str(a engine.Args, name string) opt.Opt[string]    { return engine.Opt[string](a, name) }
func when(a engine.Args, name string) opt.Opt[int64]    { return engine.Opt[int64](a, name) }
func num(a engine.Args, name string) opt.Opt[int]       { return engine.Opt[int](a, name) }
func float(a engine.Args, name string) opt.Opt[float64] { return engine.Opt[float64](a, name) }
func yes(a engine.Args, name string) opt.Opt[bool]      { return engine.Opt[bool](a, name) }

func issueInput(a engine.Args, update bool) tracker.WriteIssue {
	in := tracker.WriteIssue{Team: str(a, "teamId"), Title: str(a, "title"), Description: str(a, "description"),
		Priority: num(a, "priority"), Estimate: num(a, "estimate"), State: str(a, "stateId"), Assignee: str(a, "assigneeId"),
		Parent: str(a, "parentId"), Project: str(a, "projectId"), Cycle: str(a, "cycleId"), DueDate: str(a, "dueDate"),
		Labels: engine.OptStrings(a, "labelIds"), Subscribers: engine.OptStrings(a, "subscriberIds"),
		SortOrder: float(a, "sortOrder"), PriorityOrder: float(a, "prioritySortOrder"), SubSortOrder: float(a, "subIssueSortOrder")}
	if update {
		in.Added, in.Removed, in.Trashed = a.Strings("addedLabelIds"), a.Strings("removedLabelIds"), yes(a, "trashed")
		in.SnoozedUntil, in.SnoozedBy = when(a, "snoozedUntilAt"), str(a, "snoozedById")
		return in
	}
	in.ID, in.CreatedAt, in.CompletedAt = a.String("id"), when(a, "createdAt"), when(a, "completedAt")
	return in
}

func teamInput(a engine.Args, update bool) tracker.CreateTeam {
	in := tracker.CreateTeam{Name: str(a, "name"), Key: str(a, "key"), Description: str(a, "description"), Icon: str(a, "icon"),
		Color: str(a, "color"), Private: yes(a, "private"), Parent: str(a, "parentId")}
	in.Settings = settings(a, "id", "name", "key", "description", "icon", "color", "private", "parentId", "retiredAt", "defaultIssueStateId")
	if update {
		in.Retired, in.State = when(a, "retiredAt"), str(a, "defaultIssueStateId")
	} else {
		in.ID = a.String("id")
	}
	return in
}

func projectInput(a engine.Args, update bool) tracker.WriteProject {
	in := tracker.WriteProject{Name: str(a, "name"), Description: str(a, "description"), Content: str(a, "content"), Icon: str(a, "icon"),
		Color: str(a, "color"), Status: str(a, "statusId"), State: str(a, "state"), Lead: str(a, "leadId"), StartDate: str(a, "startDate"),
		StartResolution: str(a, "startDateResolution"), TargetDate: str(a, "targetDate"), TargetResolution: str(a, "targetDateResolution"),
		Priority: num(a, "priority"), SortOrder: float(a, "sortOrder"), PriorityOrder: float(a, "prioritySortOrder"),
		Teams: engine.OptStrings(a, "teamIds"), Members: engine.OptStrings(a, "memberIds")}
	if !update {
		in.ID = a.String("id")
		return in
	}
	in.CompletedAt, in.CanceledAt, in.Trashed = when(a, "completedAt"), when(a, "canceledAt"), yes(a, "trashed")
	in.Settings = map[string]any{}
	for _, name := range []string{"frequencyResolution", "slackIssueComments", "slackIssueStatuses", "slackNewIssue", "updateReminderFrequency",
		"updateReminderFrequencyInWeeks", "updateRemindersDay", "updateRemindersHour"} {
		if v, ok := a.Value(name); ok {
			in.Settings[name] = v
		}
	}
	const paused = "projectUpdateRemindersPausedUntilAt"
	if at := when(a, paused); at.Null {
		in.Settings[paused] = nil
	} else if at.Set {
		in.Settings[paused] = entity.ISO(at.Value)
	}
	return in
}

func labelInput(a engine.Args, update bool) tracker.WriteLabel {
	in := tracker.WriteLabel{Name: str(a, "name"), Color: str(a, "color"), Description: str(a, "description"), Parent: str(a, "parentId"),
		IsGroup: yes(a, "isGroup"), GroupType: str(a, "groupType"), Retired: when(a, "retiredAt")}
	if !update {
		in.ID, in.Team = a.String("id"), str(a, "teamId")
	}
	return in
}
