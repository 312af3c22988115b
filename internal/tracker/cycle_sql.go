package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Cycles are the cycles of the teams that the viewer may see.
var Cycles = declare(entity.Kind[*View, Cycle]{Name: "Cycle", Table: "tracker_cycle",
	Relations: map[string]entity.Relation{"team": {Parent: "t.team"}},
	Hide:      hideBy("t.team"),
}, (*Cycle).Header, []entity.Column[Cycle]{
	entity.Col("team", "teamId", entity.Ref, func(c *Cycle) any { return &c.Team }),
	entity.Col("number", "number", entity.Number, func(c *Cycle) any { return &c.Number }),
	entity.Col("name", "name", entity.Ref, func(c *Cycle) any { return &c.Name }),
	entity.Col("description", "description", entity.Ref, func(c *Cycle) any { return &c.Description }),
	entity.Col("starts", "startsAt", entity.Time, func(c *Cycle) any { return &c.Starts }),
	entity.Col("ends", "endsAt", entity.Time, func(c *Cycle) any { return &c.Ends }),
	entity.Col("completed", "completedAt", entity.Time, func(c *Cycle) any { return &c.Completed }),
	entity.Col("uncompleted", "uncompletedIssuesUponCloseIds", entity.List, func(c *Cycle) any { return &c.Uncompleted }),
	entity.Col("auto_archived", "autoArchivedAt", entity.Time, func(c *Cycle) any { return &c.AutoArchived }),
})

var cycleShape = &entity.Shape{Name: "Cycle", Table: "tracker_cycle", Live: " AND #.archived = 0", Hide: " AND #.team NOT IN " + unseenTeams}

// The properties of a cycle @ that depend on the current time, as conditions.
const (
	cycleActive   = "@.completed = 0 AND @.starts <= :now AND @.ends > :now"
	cyclePast     = "(@.completed <> 0 OR @.ends <= :now)"
	cycleFuture   = "@.completed = 0 AND @.starts > :now"
	cycleNext     = cycleFuture + " AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.completed = 0 AND o.starts > :now AND o.starts < @.starts)"
	cyclePrevious = cyclePast + " AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND (o.completed <> 0 OR o.ends <= :now) AND o.starts > @.starts)"
	cycleCooldown = cyclePrevious + " AND EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.starts > :now) AND NOT EXISTS (SELECT 1 FROM tracker_cycle o WHERE o.org = @.org AND o.team = @.team AND o.archived = 0 AND o.completed = 0 AND o.starts <= :now AND o.ends > :now)"
)

func init() {
	Cycles.Shape = cycleShape
	Cycles.Complete = completeCycles
	Cycles.enrich = func(v *View, c *Cycle, data map[string]any) (detail, error) {
		d, shown := detail{teams: []string{c.Team}}, *c
		if err := readHistories(v, []*Cycle{&shown}); err != nil {
			return d, err
		}
		shown.History.data(data)
		team, err := Teams.Find(v, c.Team)
		if err == nil && team != nil {
			d.url = v.CycleURL(c, team)
		}
		return d, err
	}
	at := func(column string) entity.Field { return entity.Field{Sort: entity.ByTime, Expr: "@." + column} }
	is := func(cond string) entity.Field { return entity.Field{Sort: entity.ByFlag, Expr: cond} }
	cycleShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": at("created"), "updatedAt": at("updated"), "startsAt": at("starts"), "endsAt": at("ends"),
		"completedAt": at("completed"), "name": {Sort: entity.ByText, Expr: "@.name"}, "number": {Sort: entity.ByNumber, Expr: "@.number"},
		"isActive": is(cycleActive), "isFuture": is(cycleFuture), "isPast": is(cyclePast), "isNext": is(cycleNext),
		"isPrevious": is(cyclePrevious), "isInCooldown": is(cycleCooldown),
		"team": {Sort: entity.ToOne, Expr: "@.team", To: func() *entity.Shape { return teamShape }},
		"issues": {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.cycle = @.id AND #.cycle <> ''",
			To: func() *entity.Shape { return issueShape }},
	}
}

// completeCycles adds the progress, the histories and the properties that depend
// on the time.
func completeCycles(v *View, rows []*Cycle) error {
	byID := make(map[string]*Cycle, len(rows))
	ids := make([]string, len(rows))
	for i, c := range rows {
		byID[c.ID], ids[i] = c, c.ID
		past := c.Completed != 0 || c.Ends <= v.Micros()
		c.Active, c.Future, c.Past = !past && c.Starts <= v.Micros(), !past && c.Starts > v.Micros(), past
	}
	in := entity.Padded(ids)
	next, args := entity.Condition(v, cycleNext, "t")
	previous, more := entity.Condition(v, cyclePrevious, "t")
	err := v.Tx.Each("SELECT t.id, CASE WHEN "+next+" THEN 1 ELSE 0 END, CASE WHEN "+previous+" THEN 1 ELSE 0 END FROM tracker_cycle t WHERE t.org = ? AND t.id IN "+
		store.In(len(in)), append(append(append(args, more...), v.Tenant), in...), func(r store.Row) error {
		var id string
		var next, previous int64
		err := r.Scan(&id, &next, &previous)
		byID[id].Next, byID[id].Previous = next == 1, previous == 1
		return err
	})
	if err != nil {
		return err
	}
	if err := readHistories(v, rows); err != nil {
		return err
	}
	return points(v, "cycle", ids, func(id string, all, done, begun float64) { byID[id].Progress = progress(all, done, begun) })
}
