package tracker

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Label is a label for issues, of one team or of the whole organization.
type Label struct {
	entity.Base
	Team        string // "" for the organization
	Name        string
	NameKey     string
	Color       string
	Description string
	Parent      string // the group it is in
	IsGroup     bool
	GroupType   string
	Creator     string
	Retired     int64
	RetiredBy   string
	LastApplied int64
}

// maxGroup is the greatest number of labels in a group.
const maxGroup = 250

// WriteLabel is an input of issueLabelCreate and issueLabelUpdate.
type WriteLabel struct {
	ID          string
	Team        opt.Opt[string]
	Name        opt.Opt[string]
	Color       opt.Opt[string]
	Description opt.Opt[string]
	Parent      opt.Opt[string]
	IsGroup     opt.Opt[bool]
	GroupType   opt.Opt[string]
	Retired     opt.Opt[int64]
	Replace     bool // replace team labels with the same name by this label
}

// passing returns nil if err is the tracker's own NotFound, and err otherwise.
func passing(err error) error {
	if f, ok := fault.As(err); ok && f.Reason == NotFound.Reason {
		return nil
	}
	return err
}

// CreateLabel creates a label. It returns NotFound for team or group, BadArgument,
// Taken, and BadInput for a name that is used and for a group in a group.
func (t *Tracker) CreateLabel(ctx context.Context, p *auth.Principal, in WriteLabel) (*Change[Label], error) {
	return changed(t, ctx, p, Labels, func(w *writer) (*Label, error) { return w.createLabel(in) })
}

func (w *writer) createLabel(in WriteLabel) (*Label, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	l := &Label{Base: w.fresh(id), Color: "#bec2c8", Creator: w.Caller}
	if team, ok := in.Team.Get(); ok {
		found, err := w.Team(team)
		if err != nil {
			return nil, orElse(passing(err), notFoundIn("Team", "teamId"))
		}
		l.Team = found.ID
	}
	in.Name.Set = true
	if err := w.fillLabel(l, in); err != nil {
		return nil, err
	}
	return created(w, Labels, l)
}

func (w *writer) fillLabel(l *Label, in WriteLabel) error {
	if in.Name.Set {
		if err := required("name", in.Name.Value, 80); err != nil {
			return err
		}
		l.Name, l.NameKey = in.Name.Value, nameKey(in.Name.Value)
	}
	if color, ok := in.Color.Get(); ok {
		if err := checkColor(color); err != nil {
			return err
		}
		l.Color = color
	}
	l.Description, l.GroupType = keep(in.Description, l.Description), keep(in.GroupType, l.GroupType)
	if group, ok := in.IsGroup.Get(); ok && group != l.IsGroup {
		if err := w.regroup(l, group); err != nil {
			return err
		}
		l.IsGroup = group
	}
	if in.Retired.Set {
		l.Retired, l.RetiredBy = in.Retired.Value, ""
		if l.Retired != 0 {
			l.RetiredBy = w.Caller
		}
	}
	if in.Parent.Set {
		if err := w.putInGroup(l, in.Parent.Value); err != nil {
			return err
		}
	}
	return w.freeLabelName(l, in.Replace)
}

// regroup checks that a label may become a group, or stop being one.
func (w *writer) regroup(l *Label, group bool) error {
	if !group {
		children, err := Labels.Where(w.View, "t.parent = ?", l.ID)
		if err == nil && len(children) > 0 {
			err = badInput("A group that has labels cannot become a label.")
		}
		return err
	}
	used, err := labelUsed(w.Tx, w.Tenant, l.ID)
	if err == nil && used {
		err = badInput("A label that is on issues cannot become a group.")
	}
	if err == nil && l.Parent != "" {
		err = badInput("A group cannot be in another group.")
	}
	return err
}

func (w *writer) putInGroup(l *Label, parent string) error {
	if parent == "" {
		l.Parent = ""
		return nil
	}
	g, err := Labels.Find(w.View, lower(parent))
	switch {
	case err != nil:
		return err
	case g == nil:
		return notFoundIn("IssueLabel", "parentId")
	case l.IsGroup || g.ID == l.ID:
		return badInput("A group cannot be in another group.")
	case !g.IsGroup:
		return badInput("The parent label is not a group.")
	case g.Team != "" && g.Team != l.Team:
		return badInput("The label and its group belong to different teams.")
	}
	if clash, err := besideGroup(w.Tx, w.Tenant, l.ID, g.ID); err != nil || clash {
		return orElse(err, badInput("An issue has the label and another of the group."))
	}
	siblings, err := Labels.Where(w.View, "t.parent = ? AND t.archived = 0", g.ID)
	if err == nil && len(siblings) >= maxGroup {
		err = badInput("A group holds at most %d labels.", maxGroup)
	}
	l.Parent = g.ID
	return err
}

// freeLabelName returns BadInput if another label that is shown together with this one,
// in the same team or in the organization, has its name.
func (w *writer) freeLabelName(l *Label, replace bool) error {
	same, err := Labels.Where(w.View, "t.name_key = ? AND t.parent = ? AND t.archived = 0 AND t.id <> ?", l.NameKey, l.Parent, l.ID)
	if err != nil {
		return err
	}
	for _, o := range same {
		switch {
		case o.Team == l.Team || o.Team == "":
			return w.duplicateLabel(o)
		case l.Team != "":
		case !replace:
			return w.duplicateLabel(o)
		default:
			if err := w.replaceLabel(o, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// duplicateLabel returns the error for a name that a label has.
func (w *writer) duplicateLabel(l *Label) error {
	where := "in the workspace"
	if l.Team != "" {
		team, err := Teams.Get(w.View, l.Team)
		if err != nil {
			return err
		}
		where = "in team " + team.Name
	}
	return phrased("duplicate label name", "Label \"%s\" already exists %s.", l.Name, where).At("name")
}

// replaceLabel replaces a team's label by an organization's label on all issues, and
// archives the team's label.
func (w *writer) replaceLabel(old, by *Label) error {
	if err := w.moveLabel(old.ID, by.ID); err != nil {
		return err
	}
	gone := *old
	gone.Archived = w.Micros()
	_, err := savedAs(w, Labels, old, &gone, "remove")
	return err
}

// UpdateLabel changes a label. It returns NotFound and the errors of CreateLabel.
func (t *Tracker) UpdateLabel(ctx context.Context, p *auth.Principal, id string, in WriteLabel) (*Change[Label], error) {
	return changed(t, ctx, p, Labels, func(w *writer) (*Label, error) {
		old, err := Labels.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		l := *old
		if err := w.fillLabel(&l, in); err != nil {
			return nil, err
		}
		return saved(w, Labels, old, &l)
	})
}

// DeleteLabel removes a label from all issues and deletes it. With a group it also
// deletes the labels in the group. It returns NotFound.
func (t *Tracker) DeleteLabel(ctx context.Context, p *auth.Principal, id string) (*Change[Label], error) {
	return changed(t, ctx, p, Labels, func(w *writer) (*Label, error) {
		l, err := Labels.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		children, err := Labels.Where(w.View, "t.parent = ?", l.ID)
		if err != nil {
			return nil, err
		}
		for _, x := range append(children, l) {
			if err := w.dropLabel(x.ID); err != nil {
				return nil, err
			}
			if err := Labels.Delete(w.View, x); err != nil {
				return nil, err
			}
			if err := emit(w, Labels, x, "remove", nil); err != nil {
				return nil, err
			}
		}
		return l, nil
	})
}
