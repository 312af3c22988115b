package tracker

import (
	"reflect"
	"strings"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/tracker/seed"
)

// seededTeam is a team with its states.
type seededTeam struct {
	*Team
	states map[string]string // the ids of the states by name
	ids    map[string]bool   // the ids of all states
}

func (w *seeder) seedTeams() error {
	seen := map[string]bool{}
	for i := range w.g.doc.Teams {
		e := &w.g.doc.Teams[i]
		if e.Value.Name == "" {
			e.Value.Name = e.Name
		}
		team, err := w.seedTeam(&e.Value)
		if err != nil {
			return err
		}
		if seen[team.ID] {
			return e.Value.In("key").Refuse("another team of the document has this key")
		}
		seen[team.ID] = true
		w.teams[e.Name] = team
		w.made.Teams[e.Name] = SeededTeam{team.ID, team.Key, team.states}
	}
	return nil
}

func (w *seeder) seedTeam(in *seed.Team) (*seededTeam, error) {
	owner, err := w.user(in.Owner)
	if err != nil {
		return nil, err
	}
	if err := w.past(in.Created); err != nil {
		return nil, err
	}
	members, err := w.userIDs(in.Members)
	if err != nil {
		return nil, err
	}
	team, err := w.teamByKey(in.Key)
	if err != nil {
		return nil, err
	}
	by := w.as(owner, in.Created.Or(w.g.now))
	fresh := team == nil
	if fresh {
		if team, err = by.createTeam(CreateTeam{ID: in.ID, Name: opt.Some(in.Name), Key: set(in.Key), Description: set(in.Description),
			Color: set(in.Color), Icon: set(in.Icon), Private: opt.Some(in.Private)}); err != nil {
			return nil, in.Blame(err)
		}
	} else if in.ID != "" && lower(in.ID) != team.ID {
		return nil, in.In("id").Refuse("the team %s exists and has the id %s", team.Key, team.ID)
	}
	for _, id := range members {
		if err := insertMember(w.Tx, w.Tenant, team.ID, id); err != nil {
			return nil, err
		}
	}
	for _, e := range in.States {
		if err := by.seedState(team, e, fresh); err != nil {
			return nil, err
		}
	}
	seeded, err := w.withStates(team, in.States)
	if err != nil || in.Settings == nil {
		return seeded, err
	}
	settings, err := seeded.settings(in.Settings)
	if err != nil {
		return nil, err
	}
	seeded.Team, err = by.updateTeam(team.ID, CreateTeam{Settings: settings})
	return seeded, in.Settings.Blame(err)
}

// settings returns the settings in a document, by their names in inputs.
func (t *seededTeam) settings(in *seed.TeamSettings) (map[string]any, error) {
	out := map[string]any{}
	for _, s := range []struct {
		name  string
		value any
	}{
		{"timezone", in.Timezone}, {"triageEnabled", in.Triage}, {"requirePriorityToLeaveTriage", in.PriorityToLeaveTriage}, {"cyclesEnabled", in.Cycles},
		{"cycleDuration", in.CycleWeeks}, {"cycleCooldownTime", in.CycleCooldownWeeks}, {"cycleStartDay", in.CycleStartDay},
		{"upcomingCycleCount", in.UpcomingCycles}, {"cycleIssueAutoAssignStarted", in.CycleAssignStarted},
		{"cycleIssueAutoAssignCompleted", in.CycleAssignCompleted}, {"cycleLockToActive", in.CycleLockToActive},
		{"autoArchivePeriod", in.AutoArchiveMonths}, {"autoClosePeriod", in.AutoCloseMonths}, {"autoCloseParentIssues", in.AutoCloseParents},
		{"autoCloseChildIssues", in.AutoCloseChildren},
	} {
		if v := reflect.ValueOf(s.value); !v.IsNil() {
			out[s.name] = v.Elem().Interface()
		}
	}
	if ref := in.AutoCloseState; ref.Name != "" {
		id := t.state(ref.Name)
		if id == "" {
			return nil, ref.Refuse("the team %s has no state %q", t.Key, ref.Name)
		}
		out["autoCloseStateId"] = id
	}
	return out, nil
}

// set returns a text as an optional value, which is missing for "".
func set(text string) opt.Opt[string] {
	if text == "" {
		return opt.Opt[string]{}
	}
	return opt.Some(text)
}

// stateColors are the default colors of states, by type.
var stateColors = map[string]string{"backlog": "#bec2c8", "unstarted": "#e2e2e2", "started": "#f2c94c", "completed": "#5e6ad2", "canceled": "#95a2b3"}

// seedState adds a state to a team. In a fresh team it replaces the initial state with
// the same name.
func (w *writer) seedState(team *Team, e seeddoc.Entry[seed.State], fresh bool) error {
	in := CreateState{ID: e.Value.ID, Team: team.ID, Type: e.Value.Type, Name: e.Value.Name, Color: e.Value.Color, Description: e.Value.Description}
	if in.Name == "" {
		in.Name = e.Name
	}
	if in.Color == "" {
		in.Color = stateColors[in.Type]
	}
	if e.Value.Position != nil {
		in.Position = opt.Some(*e.Value.Position)
	}
	same, err := States.Where(w.View, "t.team = ? AND t.name_key = ? AND t.archived = 0", team.ID, nameKey(in.Name))
	if err != nil || len(same) == 0 || !fresh {
		if err == nil {
			_, err = w.createState(in)
		}
		return e.Value.Blame(err)
	}
	old := same[0]
	if old.Type != in.Type {
		return e.Value.In("type").Refuse("the team has a state %s already, of type %s", old.Name, old.Type)
	}
	if !in.Position.Set {
		in.Position = opt.Some(old.Position)
	}
	if e.Value.Color == "" {
		in.Color = old.Color
	}
	if err := States.Delete(w.View, old); err != nil {
		return err
	}
	s, err := w.createState(in)
	if err != nil || team.DefaultState != old.ID {
		return e.Value.Blame(err)
	}
	before := *team
	team.DefaultState = s.ID
	_, err = Teams.Update(w.View, &before, team)
	return err
}

// teamByKey returns the team with a key, or nil.
func (w *seeder) teamByKey(key string) (*Team, error) {
	if key == "" {
		return nil, nil
	}
	id, err := teamOfKey(w.Tx, w.Tenant, strings.ToUpper(key))
	if err != nil || id == "" {
		return nil, err
	}
	return Teams.Find(w.View, id)
}

// withStates returns a team with its states, also by the document's own names.
func (w *seeder) withStates(team *Team, named seeddoc.Named[seed.State]) (*seededTeam, error) {
	all, err := States.Where(w.View, "t.team = ? AND t.archived = 0", team.ID)
	if err != nil {
		return nil, err
	}
	out := &seededTeam{team, map[string]string{}, map[string]bool{}}
	for _, s := range all {
		out.states[s.Name], out.ids[s.ID] = s.ID, true
	}
	for _, e := range named {
		if id, ok := out.states[e.Value.Name]; ok {
			out.states[e.Name] = id
		}
	}
	return out, nil
}

// team returns the team that a reference names: by the document's name, by id or
// key.
func (w *seeder) team(ref seeddoc.Ref) (*seededTeam, error) {
	if team := w.teams[ref.Name]; team != nil {
		return team, nil
	}
	team, err := w.teamByKey(ref.Name)
	if err == nil && team == nil {
		team, err = Teams.Find(w.View, lower(ref.Name))
	}
	if err != nil {
		return nil, err
	}
	if team == nil || team.Archived != 0 {
		return nil, ref.Refuse("there is no team %q in the document or the organization", ref.Name)
	}
	if w.teams[ref.Name], err = w.withStates(team, nil); err != nil {
		return nil, err
	}
	return w.teams[ref.Name], nil
}

// state returns the id of a team's state by its name, in any case, or by the id itself.
func (t *seededTeam) state(name string) string {
	if t.ids[lower(name)] {
		return lower(name)
	}
	if id, ok := t.states[name]; ok {
		return id
	}
	for other, id := range t.states {
		if nameKey(other) == nameKey(name) {
			return id
		}
	}
	return ""
}
