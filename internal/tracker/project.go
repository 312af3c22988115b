package tracker

import (
	"cmp"
	"context"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Project is a project of one or more teams, with issues of these teams.
type Project struct {
	entity.Base
	Name              string
	SlugID            string
	Description       string
	Content           string
	Icon              string
	Color             string
	Status            string
	Lead              string
	Creator           string
	Priority          int64
	SortOrder         float64
	PrioritySortOrder float64
	StartDate         string
	StartResolution   string
	TargetDate        string
	TargetResolution  string
	Started           int64
	Completed         int64
	Canceled          int64
	Trashed           bool
	AutoArchived      int64
	TeamIDs           string
	MemberIDs         string
	Settings          string // JSON of ProjectSettings

	Options    ProjectSettings
	StatusType string
	Progress   float64
	Scope      float64
}

// ProjectSettings are the settings of a project. They have these names in the
// database and in replies.
type ProjectSettings struct {
	FrequencyResolution    string   `json:"frequencyResolution"`
	RemindersPausedUntil   *string  `json:"projectUpdateRemindersPausedUntilAt"`
	SlackComments          bool     `json:"slackIssueComments"`
	SlackStatuses          bool     `json:"slackIssueStatuses"`
	SlackNew               bool     `json:"slackNewIssue"`
	ReminderFrequency      *float64 `json:"updateReminderFrequency"`
	ReminderFrequencyWeeks *float64 `json:"updateReminderFrequencyInWeeks"`
	RemindersDay           *string  `json:"updateRemindersDay"`
	RemindersHour          *float64 `json:"updateRemindersHour"`
}

func projectDefaults() ProjectSettings { return ProjectSettings{FrequencyResolution: "weekly"} }

// ProjectStatus is a step of an organization's projects.
type ProjectStatus struct {
	entity.Base
	Name        string
	Color       string
	Description string
	Type        string
	Position    float64
	Indefinite  bool
}

// WriteProject is an input of projectCreate and projectUpdate.
type WriteProject struct {
	ID                                                       string
	Name, Description, Content, Icon, Color, Status, Lead    opt.Opt[string]
	State                                                    opt.Opt[string] // a type of status, used without Status
	StartDate, StartResolution, TargetDate, TargetResolution opt.Opt[string]
	Priority                                                 opt.Opt[int]
	SortOrder, PriorityOrder                                 opt.Opt[float64]
	Teams, Members                                           opt.Opt[[]string]
	CompletedAt, CanceledAt                                  opt.Opt[int64]
	Trashed                                                  opt.Opt[bool]
	Settings                                                 map[string]any
}

// ProjectURL returns the address of a project.
func (v *View) ProjectURL(p *Project) string {
	name := slug(p.Name, 70)
	if name != "" {
		name += "-"
	}
	return v.url + "/project/" + name + p.SlugID
}

// Project returns a project by id, slug id, or the last part of its URL. It returns NotFound.
func (v *View) Project(id string) (*Project, error) {
	if ids.IsUUID(id) {
		return Projects.Get(v, id)
	}
	if len(id) > 12 && id[len(id)-13] == '-' {
		id = id[len(id)-12:]
	}
	found, err := Projects.Where(v, "t.slug_id = ?", lower(id))
	if err != nil || len(found) == 0 {
		return nil, orElse(err, notFound("Project"))
	}
	return Projects.Get(v, found[0].ID)
}

// CreateProject creates a project. It returns NotFound for references, BadArgument,
// BadInput and Taken.
func (t *Tracker) CreateProject(ctx context.Context, p *auth.Principal, in WriteProject) (*Change[Project], error) {
	return changed(t, ctx, p, Projects, func(w *writer) (*Project, error) { return w.createProject(in) })
}

func (w *writer) createProject(in WriteProject) (*Project, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	top, err := topProject(w.Tx, w.Tenant)
	if err != nil {
		return nil, err
	}
	p := &Project{Base: w.fresh(id), Creator: w.Caller, Color: "#bec2c8",
		SlugID: w.t.IDs.Hex(12), SortOrder: top, PrioritySortOrder: top}
	in.Name.Set, in.Teams.Set, in.Teams.Null = true, true, false
	if in.Status.Null {
		in.Status = opt.Opt[string]{}
	}
	if !in.Status.Set && in.State.Value == "" {
		in.State = opt.Some("backlog")
	}
	if err := w.fillProjectInput(p, in); err != nil {
		return nil, err
	}
	if err := w.linkProject(&Project{}, p); err != nil {
		return nil, err
	}
	return created(w, Projects, p)
}

func (w *writer) fillProjectInput(p *Project, in WriteProject) (err error) {
	if in.Name.Set {
		if err := required("name", in.Name.Value, 80); err != nil {
			return err
		}
		p.Name = in.Name.Value
	}
	if color, ok := in.Color.Get(); ok {
		if err := checkColor(color); err != nil {
			return err
		}
		p.Color = color
	}
	if err := within("description", in.Description.Value, 255); err != nil {
		return err
	}
	p.Description, p.Content, p.Icon = keep(in.Description, p.Description), keep(in.Content, p.Content), keep(in.Icon, p.Icon)
	p.StartDate, p.StartResolution = keep(in.StartDate, p.StartDate), keep(in.StartResolution, p.StartResolution)
	p.TargetDate, p.TargetResolution = keep(in.TargetDate, p.TargetDate), keep(in.TargetResolution, p.TargetResolution)
	if n, ok := in.Priority.Get(); ok {
		if n < 0 || n > 4 {
			return badArgument("priority", "%s", pick(n < 0, "priority must not be less than 0", "priority must not be greater than 4"))
		}
		p.Priority = int64(n)
	}
	p.SortOrder, p.PrioritySortOrder = in.SortOrder.Or(p.SortOrder), in.PriorityOrder.Or(p.PrioritySortOrder)
	if kind, ok := in.State.Get(); ok && !in.Status.Set {
		if in.Status, err = w.statusOfType(kind); err != nil {
			return err
		}
	}
	if id, ok := in.Status.Get(); ok && lower(id) != p.Status {
		if err := w.enterProjectStatus(p, id); err != nil {
			return err
		}
	}
	p.Completed, p.Canceled = keep(in.CompletedAt, p.Completed), keep(in.CanceledAt, p.Canceled)
	if in.Lead.Set {
		p.Lead = ""
		if id, ok := in.Lead.Get(); ok {
			u, err := w.known(lower(id))
			if err != nil || u == nil {
				return orElse(err, notFoundIn("User", "leadId"))
			}
			p.Lead = u.ID
		}
	}
	if err := w.fillProjectLists(p, in); err != nil {
		return err
	}
	if in.Trashed.Set {
		w.trash(&p.Trashed, &p.Archived, in.Trashed.Value)
	}
	_, p.Settings, err = merge(projectDefaults(), p.Settings, in.Settings)
	return err
}

func (w *writer) fillProjectLists(p *Project, in WriteProject) error {
	if in.Teams.Set {
		ids := unique(in.Teams.Value)
		if len(ids) == 0 {
			return badArgument("teamIds", "teamIds should not be empty")
		}
		if err := entity.CheckUUIDs("teamIds", ids); err != nil {
			return err
		}
		found, err := Teams.ByID(w.View, ids)
		if err != nil || len(found) < len(ids) {
			return orElse(err, notFoundIn("Team", "teamIds"))
		}
		p.TeamIDs = relist(p.TeamIDs, ids)
	}
	if members, ok := in.Members.Get(); ok {
		ids := unique(members)
		if err := entity.CheckUUIDs("memberIds", ids); err != nil {
			return err
		}
		if len(ids) > 0 {
			found, err := Users.ByID(w.View, ids)
			if err != nil || len(found) < len(ids) {
				return orElse(err, notFoundIn("User", "memberIds"))
			}
		}
		p.MemberIDs = relist(p.MemberIDs, ids)
	}
	return nil
}

// statusOfType returns the id of the first status of a type.
func (w *writer) statusOfType(kind string) (id opt.Opt[string], err error) {
	all, err := ProjectStatuses.Where(w.View, "t.type = ? AND t.archived = 0", kind)
	if err != nil || len(all) == 0 {
		return id, orElse(err, badArgument("state", "state must be the type of a project status: backlog, planned, started, paused, completed or canceled"))
	}
	return opt.Some(all[0].ID), nil
}

// enterProjectStatus moves a project to a status, and sets the times of the project
// that depend on the type of the status. It returns NotFound.
func (w *writer) enterProjectStatus(p *Project, id string) error {
	s, err := ProjectStatuses.Find(w.View, lower(id))
	if err != nil || s == nil || s.Archived != 0 {
		return orElse(err, notFoundIn("ProjectStatus", "statusId"))
	}
	p.Status = s.ID
	switch s.Type {
	case "started", "completed":
		if p.Started == 0 {
			p.Started = w.Micros()
		}
		p.Canceled = 0
		if s.Type == "started" {
			p.Completed = 0
		} else if p.Completed == 0 {
			p.Completed = w.Micros()
		}
	case "canceled":
		p.Completed = 0
		if p.Canceled == 0 {
			p.Canceled = w.Micros()
		}
	case "paused":
		p.Completed, p.Canceled = 0, 0
	default:
		p.Started, p.Completed, p.Canceled = 0, 0, 0
	}
	return nil
}

// UpdateProject changes a project. It returns NotFound, BadArgument and BadInput.
func (t *Tracker) UpdateProject(ctx context.Context, p *auth.Principal, id string, in WriteProject) (*Change[Project], error) {
	return changed(t, ctx, p, Projects, func(w *writer) (*Project, error) {
		old, err := w.Project(id)
		if err != nil {
			return nil, err
		}
		project := *old
		if err := w.fillProjectInput(&project, in); err != nil {
			return nil, err
		}
		if err := w.linkProject(old, &project); err != nil {
			return nil, err
		}
		if old.Archived != 0 && project.Archived == 0 {
			project.AutoArchived = 0
		}
		if project.Completed+project.Canceled != old.Completed+old.Canceled {
			if err := w.dueTeams(&project); err != nil {
				return nil, err
			}
		}
		return savedAs(w, Projects, old, &project, trashAction(old.Trashed, project.Trashed))
	})
}

// ArchiveProject archives a project, or moves it to the trash. It returns
// NotFound.
func (t *Tracker) ArchiveProject(ctx context.Context, p *auth.Principal, id string, trash bool) (*Change[Project], error) {
	return changed(t, ctx, p, Projects, func(w *writer) (*Project, error) {
		old, err := w.Project(id)
		if err != nil {
			return nil, err
		}
		project := *old
		if project.Archived == 0 {
			project.Archived = w.Micros()
		}
		project.Trashed = project.Trashed || trash
		if err := w.dueTeams(&project); err != nil {
			return nil, err
		}
		return savedAs(w, Projects, old, &project, "remove")
	})
}

// UnarchiveProject restores an archived or trashed project. It returns NotFound.
func (t *Tracker) UnarchiveProject(ctx context.Context, p *auth.Principal, id string) (*Change[Project], error) {
	return changed(t, ctx, p, Projects, func(w *writer) (*Project, error) {
		old, err := w.Project(id)
		if err != nil {
			return nil, err
		}
		project := *old
		project.Archived, project.AutoArchived, project.Trashed = 0, 0, false
		return saved(w, Projects, old, &project)
	})
}

// Statuses returns the project statuses of the organization, sorted by position.
func (v *View) Statuses() ([]*ProjectStatus, error) {
	all, err := ProjectStatuses.Where(v, "t.archived = 0")
	slices.SortStableFunc(all, func(a, b *ProjectStatus) int { return cmp.Compare(a.Position, b.Position) })
	return all, err
}
