package tracker

import (
	"context"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Team is a team of an organization, with issues, a workflow, cycles and labels.
type Team struct {
	entity.Base
	Key          string
	Name         string
	Description  string
	Icon         string
	Color        string
	Private      bool
	Parent       string
	DefaultState string
	TriageState  string
	Retired      int64
	Settings     string // JSON of TeamSettings

	Options       TeamSettings
	ActiveCycle   string
	OpenIssues    int64
	HiddenIssues  int64 // archived ones
	ViewerJoined  bool
	ViewerIsOwner bool
}

// TeamSettings are the settings of a team. They have these names in the database and
// in replies.
type TeamSettings struct {
	AIDiscussionSummaries  bool     `json:"aiDiscussionSummariesEnabled"`
	AIThreadSummaries      bool     `json:"aiThreadSummariesEnabled"`
	AllMembersCanJoin      *bool    `json:"allMembersCanJoin"`
	AutoArchivePeriod      float64  `json:"autoArchivePeriod"`
	AutoCloseChildIssues   *bool    `json:"autoCloseChildIssues"`
	AutoCloseParentIssues  *bool    `json:"autoCloseParentIssues"`
	AutoClosePeriod        *float64 `json:"autoClosePeriod"`
	AutoCloseState         *string  `json:"autoCloseStateId"`
	CycleCooldown          float64  `json:"cycleCooldownTime"`
	CycleDuration          float64  `json:"cycleDuration"`
	CycleAssignCompleted   bool     `json:"cycleIssueAutoAssignCompleted"`
	CycleAssignStarted     bool     `json:"cycleIssueAutoAssignStarted"`
	CycleLockToActive      bool     `json:"cycleLockToActive"`
	CycleStartDay          float64  `json:"cycleStartDay"`
	Cycles                 bool     `json:"cyclesEnabled"`
	DefaultEstimate        float64  `json:"defaultIssueEstimate"`
	GroupHistory           bool     `json:"groupIssueHistory"`
	InheritEstimation      bool     `json:"inheritIssueEstimation"`
	InheritStatuses        bool     `json:"inheritWorkflowStatuses"`
	Initiatives            bool     `json:"initiativesEnabled"`
	EstimationAllowZero    bool     `json:"issueEstimationAllowZero"`
	EstimationExtended     bool     `json:"issueEstimationExtended"`
	EstimationType         string   `json:"issueEstimationType"`
	PriorityToLeaveTriage  bool     `json:"requirePriorityToLeaveTriage"`
	SortOrderOnStateChange string   `json:"setIssueSortOrderOnStateChange"`
	SlackComments          bool     `json:"slackIssueComments"`
	SlackStatuses          bool     `json:"slackIssueStatuses"`
	SlackNew               bool     `json:"slackNewIssue"`
	Timezone               string   `json:"timezone"`
	Triage                 bool     `json:"triageEnabled"`
	UpcomingCycles         float64  `json:"upcomingCycleCount"`
}

func teamDefaults() TeamSettings {
	return TeamSettings{AutoArchivePeriod: 6, CycleDuration: 2, CycleStartDay: 1, UpcomingCycles: 2, DefaultEstimate: 1, GroupHistory: true,
		EstimationType: "notUsed", SortOrderOnStateChange: "default", Timezone: "UTC"}
}

// CreateTeam is the input of CreateTeam and UpdateTeam.
type CreateTeam struct {
	ID          string
	Name        opt.Opt[string]
	Key         opt.Opt[string]
	Description opt.Opt[string]
	Icon        opt.Opt[string]
	Color       opt.Opt[string]
	Private     opt.Opt[bool]
	Parent      opt.Opt[string]
	Retired     opt.Opt[int64]
	State       opt.Opt[string] // the default state, on update
	Settings    map[string]any  // by the names of TeamSettings
	CopyFrom    string          // a team whose settings are copied
}

// Team returns a team by id or key, also one of its former keys. It returns NotFound.
func (v *View) Team(id string) (*Team, error) {
	if ids.IsUUID(id) {
		return Teams.Get(v, id)
	}
	found, err := teamOfKey(v.Tx, v.Tenant, strings.ToUpper(id))
	if err != nil {
		return nil, err
	}
	if found == "" {
		return nil, notFound("Team")
	}
	return Teams.Get(v, found)
}

// CreateTeam creates a team with its six states; the creator is its owner. It
// returns BadArgument, NameTaken for the key, Taken for the id.
func (t *Tracker) CreateTeam(ctx context.Context, p *auth.Principal, in CreateTeam) (*Change[Team], error) {
	return changed(t, ctx, p, Teams, func(w *writer) (*Team, error) { return w.createTeam(in) })
}

func (w *writer) createTeam(in CreateTeam) (*Team, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	team := &Team{Base: w.fresh(id)}
	if in.CopyFrom != "" {
		from, err := w.Team(in.CopyFrom)
		if err != nil {
			return nil, err
		}
		team.Settings = from.Settings
	}
	if !in.Key.Set || in.Key.Value == "" {
		if in.Key.Value, err = w.deriveKey(in.Name.Value); err != nil {
			return nil, err
		}
		in.Key.Set = true
	}
	in.Name.Set = true
	if err := w.fillTeam(team, in); err != nil {
		return nil, err
	}
	if err := Teams.Insert(w.Tx, team); err != nil {
		return nil, err
	}
	w.due = min(w.due, team.dueAtFirst())
	if err := insertTeamParts(w.Tx, team, w.Caller); err != nil {
		return nil, err
	}
	before := *team
	for i, s := range []WorkflowState{{Name: "Backlog", Type: "backlog", Color: "#bec2c8"}, {Name: "Todo", Type: "unstarted", Color: "#e2e2e2"},
		{Name: "In Progress", Type: "started", Color: "#f2c94c"}, {Name: "In Review", Type: "started", Color: "#0f783c"},
		{Name: "Done", Type: "completed", Color: "#5e6ad2"}, {Name: "Canceled", Type: "canceled", Color: "#95a2b3"}} {
		// Lists sort entities created at the same time by id. The ids are drawn in the
		// order of the states, so that the same seed always results in the same lists.
		s.Base = w.fresh(w.t.IDs.UUID())
		s.Team, s.NameKey, s.Position = team.ID, nameKey(s.Name), float64(i)
		if err := States.Insert(w.Tx, &s); err != nil {
			return nil, err
		}
		if i == 1 {
			team.DefaultState = s.ID
		}
	}
	if err := w.switchTriage(team); err != nil {
		return nil, err
	}
	if _, err := Teams.Update(w.View, &before, team); err != nil {
		return nil, err
	}
	return team, emit(w, Teams, team, "create", nil)
}

// fillTeam checks an input and applies it to a team. It returns BadArgument, BadInput,
// NotFound and NameTaken.
func (w *writer) fillTeam(team *Team, in CreateTeam) (err error) {
	if in.Name.Set {
		if team.Name = in.Name.Value; required("name", team.Name, 80) != nil {
			return required("name", team.Name, 80)
		}
	}
	if key, ok := in.Key.Get(); ok {
		key = strings.ToUpper(key)
		if key != team.Key {
			if err := w.takeKey(team.ID, key); err != nil {
				return err
			}
			team.Key = key
		}
	}
	if color, ok := in.Color.Get(); ok && checkColor(color) != nil {
		return checkColor(color)
	}
	team.Description, team.Icon, team.Color = keep(in.Description, team.Description), keep(in.Icon, team.Icon), keep(in.Color, team.Color)
	team.Private, team.Retired = keep(in.Private, team.Private), keep(in.Retired, team.Retired)
	if in.Parent.Set && in.Parent.Value != team.Parent {
		team.Parent = in.Parent.Value
		if team.Parent != "" {
			parent, err := Teams.Get(w.View, team.Parent)
			if err != nil {
				return orElse(passing(err), notFoundIn("Team", "parentId"))
			}
			team.Parent = parent.ID
			if within, err := teamWithin(w.View, team.Parent, team.ID); err != nil || within {
				return orElse(err, badInput("A team cannot be a parent of itself."))
			}
		}
	}
	if id, ok := in.State.Get(); ok {
		s, err := States.Find(w.View, lower(id))
		if err != nil || s == nil || s.Team != team.ID || s.Archived != 0 {
			return orElse(err, notFoundIn("WorkflowState", "defaultIssueStateId"))
		}
		team.DefaultState = s.ID
	}
	if team.Options, team.Settings, err = merge(teamDefaults(), team.Settings, in.Settings); err != nil {
		return err
	}
	return w.checkSettings(team, in.Settings)
}

// dueAtFirst returns the due time of a new team, which has no issues yet.
func (t *Team) dueAtFirst() int64 { return pick(t.Options.Cycles, 0, never) }

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// takeKey assigns a key to a team. It returns BadArgument or NameTaken.
func (w *writer) takeKey(team, key string) error {
	if len(key) < 1 || len(key) > 7 || key[0] < 'A' || key[0] > 'Z' ||
		strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return badArgument("key", "key must have 1 to 7 letters and digits and begin with a letter")
	}
	owner, err := teamOfKey(w.Tx, w.Tenant, key)
	if err != nil || owner == team {
		return err
	}
	if owner != "" {
		return NameTaken.At("key").Detailf("The team key %s is already in use.", key)
	}
	return insertTeamKey(w.Tx, w.Tenant, key, team)
}

// deriveKey derives a free key from a name: the name's first letters, and a number if
// another team has them as its key.
func (w *writer) deriveKey(name string) (string, error) {
	base := ""
	for _, r := range strings.ToUpper(slug(name, 60)) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' && base != "" {
			base += string(r)
		}
	}
	if base == "" {
		base = "T"
	}
	base = base[:min(3, len(base))]
	for n := int64(1); ; n++ {
		key := base
		if n > 1 {
			key += digits(n)
		}
		owner, err := teamOfKey(w.Tx, w.Tenant, key)
		if err != nil || owner == "" {
			return key, err
		}
	}
}

// UpdateTeam changes a team. It returns NotFound, BadArgument, NameTaken.
func (t *Tracker) UpdateTeam(ctx context.Context, p *auth.Principal, id string, in CreateTeam) (*Change[Team], error) {
	return changed(t, ctx, p, Teams, func(w *writer) (*Team, error) { return w.updateTeam(id, in) })
}

func (w *writer) updateTeam(id string, in CreateTeam) (*Team, error) {
	old, err := w.Team(id)
	if err != nil {
		return nil, err
	}
	team := *old
	if err := w.fillTeam(&team, in); err != nil {
		return nil, err
	}
	if err := w.switchTriage(&team); err != nil {
		return nil, err
	}
	if team.Settings != old.Settings || team.Retired != old.Retired {
		if err := w.replan(old, &team); err != nil {
			return nil, err
		}
		if err := w.dueBy(team.ID, 0); err != nil {
			return nil, err
		}
	}
	if team.Key != old.Key {
		if err := renameIssues(w, &team); err != nil {
			return nil, err
		}
	}
	return saved(w, Teams, old, &team)
}

// switchTriage reads the settings of a team, and creates the triage state if triage is
// on and the team has no such state.
func (w *writer) switchTriage(team *Team) (err error) {
	if team.Options, _, err = merge(teamDefaults(), team.Settings, nil); err != nil || !team.Options.Triage || team.TriageState != "" {
		return err
	}
	s := &WorkflowState{Base: w.fresh(w.t.IDs.UUID()), Team: team.ID,
		Name: "Triage", NameKey: "triage", Type: "triage", Color: "#FC7840", Position: -1}
	team.TriageState = s.ID
	return States.Insert(w.Tx, s)
}

// DeleteTeam archives a team: its issues cannot be read until it is restored. It
// returns NotFound, and Forbidden unless the caller is an admin or the owner.
func (t *Tracker) DeleteTeam(ctx context.Context, p *auth.Principal, id string) (*Change[Team], error) {
	return changed(t, ctx, p, Teams, func(w *writer) (*Team, error) {
		old, err := w.Team(id)
		if err != nil {
			return nil, err
		}
		if !w.viewer.Admin && !old.ViewerIsOwner {
			return nil, Forbidden.Detailf("Only admins and owners of the team may delete it.")
		}
		team := *old
		team.Archived = w.Micros()
		return savedAs(w, Teams, old, &team, "remove")
	})
}

// UnarchiveTeam restores a deleted team. It returns NotFound and Forbidden.
func (t *Tracker) UnarchiveTeam(ctx context.Context, p *auth.Principal, id string) (*Change[Team], error) {
	return changed(t, ctx, p, Teams, func(w *writer) (*Team, error) {
		if err := w.admin(); err != nil {
			return nil, err
		}
		if !ids.IsUUID(id) {
			found, err := teamOfKey(w.Tx, w.Tenant, strings.ToUpper(id))
			if err != nil {
				return nil, err
			}
			id = found
		}
		found, err := Teams.Where(w.View, "t.id = ? AND (NOT t.private OR "+isMember+")", lower(id), w.Caller)
		if err != nil || len(found) == 0 {
			return nil, orElse(err, notFound("Team"))
		}
		old := found[0]
		team := *old
		team.Archived = 0
		if err := w.dueBy(team.ID, 0); err != nil {
			return nil, err
		}
		return saved(w, Teams, old, &team)
	})
}

// TeamURL returns the address of a team.
func (v *View) TeamURL(t *Team) string { return v.url + "/team/" + t.Key }
