package tracker

import (
	"context"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// WorkflowState is a step of a team's workflow.
type WorkflowState struct {
	entity.Base
	Team        string
	Name        string
	NameKey     string
	Color       string
	Description string
	Type        string // triage, backlog, unstarted, started, completed, canceled, duplicate
	Position    float64
}

// stateTypes are the types of states that a client may create.
var stateTypes = []string{"backlog", "unstarted", "started", "completed", "canceled"}

// CreateState is an input of workflowStateCreate.
type CreateState struct {
	ID, Team, Type string
	Name, Color    string
	Description    string
	Position       opt.Opt[float64]
}

// UpdateState is an input of workflowStateUpdate.
type UpdateState struct {
	Name, Color, Description opt.Opt[string]
	Position                 opt.Opt[float64]
}

// CreateState adds a state to a team. It returns NotFound for the team,
// BadArgument, NameTaken for a name that the team has, Taken for the id.
func (t *Tracker) CreateState(ctx context.Context, p *auth.Principal, in CreateState) (*Change[WorkflowState], error) {
	return changed(t, ctx, p, States, func(w *writer) (*WorkflowState, error) { return w.createState(in) })
}

func (w *writer) createState(in CreateState) (*WorkflowState, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	team, err := w.Team(in.Team)
	if err != nil {
		return nil, orElse(passing(err), notFoundIn("Team", "teamId"))
	}
	if !slices.Contains(stateTypes, in.Type) {
		return nil, badArgument("type", "type must be one of backlog, unstarted, started, completed, canceled")
	}
	s := &WorkflowState{Base: w.fresh(id), Team: team.ID, Type: in.Type,
		Name: in.Name, Color: in.Color, Description: in.Description}
	if err := w.checkState(s); err != nil {
		return nil, err
	}
	if s.Position = in.Position.Value; !in.Position.Set {
		if s.Position, err = lastPosition(w.Tx, w.Tenant, team.ID); err != nil {
			return nil, err
		}
	}
	return created(w, States, s)
}

func (w *writer) checkState(s *WorkflowState) error {
	if err := required("name", s.Name, 80); err != nil {
		return err
	}
	if err := checkColor(s.Color); err != nil {
		return err
	}
	s.NameKey = nameKey(s.Name)
	same, err := States.Where(w.View, "t.team = ? AND t.name_key = ? AND t.archived = 0 AND t.id <> ?", s.Team, s.NameKey, s.ID)
	if err == nil && len(same) > 0 {
		err = NameTaken.At("name").Detailf("The team already has a workflow state named %s.", s.Name)
	}
	return err
}

// UpdateState changes a state. It returns NotFound, BadArgument, NameTaken.
func (t *Tracker) UpdateState(ctx context.Context, p *auth.Principal, id string, in UpdateState) (*Change[WorkflowState], error) {
	return changed(t, ctx, p, States, func(w *writer) (*WorkflowState, error) {
		old, err := States.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		s := *old
		s.Name, s.Color = in.Name.Or(s.Name), in.Color.Or(s.Color)
		s.Description, s.Position = keep(in.Description, s.Description), in.Position.Or(s.Position)
		if err := w.checkState(&s); err != nil {
			return nil, err
		}
		return saved(w, States, old, &s)
	})
}

// ArchiveState archives a state. It returns NotFound, and BadInput if the state has
// issues that are not archived, is the last one of its type or is the team's default.
func (t *Tracker) ArchiveState(ctx context.Context, p *auth.Principal, id string) (*Change[WorkflowState], error) {
	return changed(t, ctx, p, States, func(w *writer) (*WorkflowState, error) {
		old, err := States.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		if old.Archived != 0 {
			return old, nil
		}
		n, err := openIssues(w.Tx, w.Tenant, old.ID)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			return nil, badInput("The workflow state has issues that are not archived.")
		}
		others, err := States.Where(w.View, "t.team = ? AND t.type = ? AND t.archived = 0 AND t.id <> ?", old.Team, old.Type, old.ID)
		if err != nil {
			return nil, err
		}
		if len(others) == 0 {
			return nil, badInput("The last workflow state of a type cannot be archived.")
		}
		team, err := Teams.Find(w.View, old.Team)
		if err != nil {
			return nil, err
		}
		if team.DefaultState == old.ID {
			return nil, badInput("The default workflow state of a team cannot be archived.")
		}
		s := *old
		s.Archived = w.Micros()
		return savedAs(w, States, old, &s, "remove")
	})
}

// defaultState returns the state of a new issue whose input names none: the triage state
// if triage is on, otherwise the first state of type backlog, otherwise the team's
// default.
func (v *View) defaultState(team *Team) (*WorkflowState, error) {
	if team.Options.Triage && team.TriageState != "" {
		return States.Find(v, team.TriageState)
	}
	s, err := v.firstState(team.ID, "backlog")
	if err == nil && s == nil {
		s, err = States.Find(v, team.DefaultState)
	}
	return s, err
}

// firstOf is the transaction key of a result of firstState.
type firstOf struct{ org, team, kind string }

// firstState returns a team's state of a type with the lowest position, or nil.
func (v *View) firstState(team, kind string) (*WorkflowState, error) {
	key := firstOf{v.Tenant, team, kind}
	if first, ok := store.Kept[WorkflowState](v.Tx, key); ok {
		return &first, nil
	}
	all, err := States.Where(v, "t.team = ? AND t.type = ? AND t.archived = 0", team, kind)
	var first *WorkflowState
	for _, s := range all {
		if first == nil || s.Position < first.Position {
			first = s
		}
	}
	if first != nil {
		store.KeepLong(v.Tx, key, *first, "tracker_state")
	}
	return first, err
}
