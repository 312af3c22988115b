package tracker

import "understudy/internal/platform/store"

// Cycles are those of the teams that the viewer may see.
var Cycles = (&Kind[Cycle]{Name: "Cycle", table: "tracker_cycle",
	of:   map[string]relation{"team": {parent: "t.team"}},
	hide: hideBy("t.team"),
}).ready((*Cycle).base, []column[Cycle]{
	{"team", "teamId", ref, func(c *Cycle) any { return &c.Team }},
	{"number", "number", number, func(c *Cycle) any { return &c.Number }},
	{"name", "name", ref, func(c *Cycle) any { return &c.Name }},
	{"description", "description", ref, func(c *Cycle) any { return &c.Description }},
	{"starts", "startsAt", moment, func(c *Cycle) any { return &c.Starts }},
	{"ends", "endsAt", moment, func(c *Cycle) any { return &c.Ends }},
	{"completed", "completedAt", moment, func(c *Cycle) any { return &c.Completed }},
	{"uncompleted", "uncompletedIssuesUponCloseIds", list, func(c *Cycle) any { return &c.Uncompleted }},
	{"auto_archived", "autoArchivedAt", moment, func(c *Cycle) any { return &c.AutoArchived }},
})

var cycleShape = &shape{name: "Cycle", table: "tracker_cycle", live: " AND #.archived = 0", hide: " AND #.team NOT IN " + unseenTeams}

// What a cycle is at the moment, as conditions on @.
const (
	cycleActive   = "@.completed = 0 AND @.starts <= :now AND @.ends > :now"
	cyclePast     = "(@.completed <> 0 OR @.ends <= :now)"
	cycleFuture   = "@.completed = 0 AND @.starts > :now"
	cycleNext     = cycleFuture + " AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.completed = 0 AND o.starts > :now AND o.starts < @.starts)"
	cyclePrevious = cyclePast + " AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND (o.completed <> 0 OR o.ends <= :now) AND o.starts > @.starts)"
	cycleCooldown = cyclePast + " AND EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.starts > :now) AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.completed = 0 AND o.starts <= :now AND o.ends > :now)"
)

func init() {
	Cycles.shape = cycleShape
	Cycles.complete = completeCycles
	Cycles.enrich = func(v *View, c *Cycle, data map[string]any) (detail, error) {
		for _, name := range []string{"completedIssueCountHistory", "completedScopeHistory", "inProgressScopeHistory", "issueCountHistory", "scopeHistory"} {
			data[name] = []any{}
		}
		d := detail{teams: []string{c.Team}}
		team, err := Teams.find(v, c.Team)
		if err == nil && team != nil {
			d.url = v.CycleURL(c, team)
		}
		return d, err
	}
	at := func(column string) term { return term{sort: aTime, expr: "@." + column} }
	is := func(cond string) term { return term{sort: aFlag, expr: cond} }
	cycleShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"), "startsAt": at("starts"), "endsAt": at("ends"),
		"completedAt": at("completed"), "name": {sort: aText, expr: "@.name"}, "number": {sort: aNumber, expr: "@.number"},
		"isActive": is(cycleActive), "isFuture": is(cycleFuture), "isPast": is(cyclePast), "isNext": is(cycleNext),
		"isPrevious": is(cyclePrevious), "isInCooldown": is(cycleCooldown),
		"team": {sort: toOne, expr: "@.team", to: func() *shape { return teamShape }},
		"issues": {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.cycle = @.id AND #.cycle <> ''",
			to: func() *shape { return issueShape }},
	}
}

// completeCycles adds the progress and what the cycles are at the moment.
func completeCycles(v *View, rows []*Cycle) error {
	byID := make(map[string]*Cycle, len(rows))
	ids := make([]string, len(rows))
	for i, c := range rows {
		byID[c.ID], ids[i] = c, c.ID
		past := c.Completed != 0 || c.Ends <= v.now
		c.Active, c.Future, c.Past = !past && c.Starts <= v.now, !past && c.Starts > v.now, past
	}
	in := padded(ids)
	c := &compiler{v: v}
	next := c.place(cycleNext, "t", "")
	previous := c.place(cyclePrevious, "t", "")
	err := v.tx.Each("SELECT t.id, CASE WHEN "+next+" THEN 1 ELSE 0 END, CASE WHEN "+previous+" THEN 1 ELSE 0 END FROM tracker_cycle t WHERE t.org = ? AND t.id IN "+
		store.In(len(in)), append(append(c.args, v.org), in...), func(r store.Row) error {
		var id string
		var next, previous int64
		err := r.Scan(&id, &next, &previous)
		byID[id].Next, byID[id].Previous = next == 1, previous == 1
		return err
	})
	if err != nil {
		return err
	}
	return points(v, "cycle", ids, func(id string, all, done, begun float64) { byID[id].Progress = progress(all, done, begun) })
}
