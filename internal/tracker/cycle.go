package tracker

import (
	"context"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Cycle is a period for which a team plans issues.
type Cycle struct {
	entity.Base
	Team         string
	Number       int64
	Name         string
	Description  string
	Starts       int64
	Ends         int64
	Completed    int64
	Uncompleted  string // issues that were open when it ended
	AutoArchived int64

	Progress                             float64
	History                              History
	Active, Future, Next, Past, Previous bool
}

// WriteCycle is an input of cycleCreate and cycleUpdate.
type WriteCycle struct {
	ID, Team                string
	Name, Description       opt.Opt[string]
	Starts, Ends, Completed opt.Opt[int64]
}

// CycleURL returns the address of a cycle of a team.
func (v *View) CycleURL(c *Cycle, team *Team) string {
	return v.url + "/team/" + team.Key + "/cycle/" + digits(c.Number)
}

// CreateCycle adds a cycle to a team. It returns NotFound for the team,
// BadArgument, BadInput for one that overlaps another, Taken.
func (t *Tracker) CreateCycle(ctx context.Context, p *auth.Principal, in WriteCycle) (*Change[Cycle], error) {
	return changed(t, ctx, p, Cycles, func(w *writer) (*Cycle, error) { return w.createCycle(in) })
}

func (w *writer) createCycle(in WriteCycle) (*Cycle, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	team, err := w.Team(in.Team)
	if err != nil {
		return nil, err
	}
	c := &Cycle{Base: w.fresh(id), Team: team.ID}
	if c.Number, err = nextCycle(w.Tx, w.Tenant, team.ID); err != nil {
		return nil, err
	}
	if err := w.fillCycleInput(c, in); err != nil {
		return nil, err
	}
	c.Completed = in.Completed.Value
	if err := w.dueBy(team.ID, 0); err != nil {
		return nil, err
	}
	return created(w, Cycles, c)
}

func (w *writer) fillCycleInput(c *Cycle, in WriteCycle) error {
	if err := within("name", in.Name.Value, 255); err != nil {
		return err
	}
	c.Name, c.Description = strings.TrimSpace(keep(in.Name, c.Name)), keep(in.Description, c.Description)
	c.Starts, c.Ends = in.Starts.Or(c.Starts), in.Ends.Or(c.Ends)
	if c.Ends <= c.Starts {
		return badArgument("endsAt", "endsAt must be after startsAt")
	}
	others, err := Cycles.Where(w.View, "t.team = ? AND t.archived = 0 AND t.id <> ? AND t.starts < ? AND t.ends > ?", c.Team, c.ID, c.Ends, c.Starts)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return badInput("The cycle overlaps cycle %d of the team.", others[0].Number)
	}
	return nil
}

// Cycle returns a cycle by id. It returns NotFound.
func (v *View) Cycle(id string) (*Cycle, error) { return Cycles.Get(v, id) }

// UpdateCycle changes a cycle. It returns what CreateCycle returns.
func (t *Tracker) UpdateCycle(ctx context.Context, p *auth.Principal, id string, in WriteCycle) (*Change[Cycle], error) {
	return changed(t, ctx, p, Cycles, func(w *writer) (*Cycle, error) {
		old, err := w.Cycle(id)
		if err != nil {
			return nil, err
		}
		c := *old
		if err := w.fillCycleInput(&c, in); err != nil {
			return nil, err
		}
		if err := w.dueBy(c.Team, 0); err != nil {
			return nil, err
		}
		if !in.Completed.Set || (in.Completed.Value != 0) == (c.Completed != 0) {
			c.Completed = keep(in.Completed, c.Completed)
			return saved(w, Cycles, old, &c)
		}
		return w.endCycle(old, &c, in.Completed.Value)
	})
}

// endCycle completes a cycle at a time, or opens it again at 0.
func (w *writer) endCycle(old, c *Cycle, at int64) (*Cycle, error) {
	if at == 0 {
		c.Completed, c.Uncompleted = 0, ""
		if _, err := relink(w.Tx, "tracker_cycle_uncompleted", "cycle", "issue", w.Tenant, c.ID, old.Uncompleted, ""); err != nil {
			return nil, err
		}
		if err := w.resumeHistory(c.ID); err != nil {
			return nil, err
		}
		return saved(w, Cycles, old, c)
	}
	open, err := openCycles(w.View, c.Team)
	if err != nil {
		return nil, err
	}
	return w.completeCycle(old, c, at, following(open, old))
}

// following returns the first cycle that begins after another one, or nil. The
// cycles are in the order of their starts.
func following(open []*Cycle, c *Cycle) *Cycle {
	for _, o := range open {
		if o.ID != c.ID && o.Starts > c.Starts {
			return o
		}
	}
	return nil
}

// ArchiveCycle archives a cycle and removes its issues from it. It returns
// NotFound.
func (t *Tracker) ArchiveCycle(ctx context.Context, p *auth.Principal, id string) (*Change[Cycle], error) {
	return changed(t, ctx, p, Cycles, func(w *writer) (*Cycle, error) {
		old, err := w.Cycle(id)
		if err != nil {
			return nil, err
		}
		if old.Archived != 0 {
			return old, nil
		}
		return w.archiveCycle(old)
	})
}

func (w *writer) archiveCycle(old *Cycle) (*Cycle, error) {
	issues, err := Issues.Where(w.View, "t.cycle = ? AND t.cycle <> ''", old.ID)
	if err != nil {
		return nil, err
	}
	w.closing = old.ID
	defer func() { w.closing = "" }()
	for _, was := range issues {
		i := *was
		i.Cycle, i.AddedToCycle = "", 0
		if _, err := w.saveIssue(was, &i, "update"); err != nil {
			return nil, err
		}
	}
	if err := w.dueBy(old.Team, 0); err != nil {
		return nil, err
	}
	c := *old
	c.Archived = w.Micros()
	return savedAs(w, Cycles, old, &c, "remove")
}
