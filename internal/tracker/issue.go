package tracker

import (
	"context"
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Issue is an issue of a team.
type Issue struct {
	entity.Base
	Team              string
	Number            int64
	Identifier        string
	Previous          string // former identifiers
	Title             string
	Description       string
	Priority          int64 // 0 none, 1 urgent, … 4 low
	Estimate          *float64
	SortOrder         float64
	PrioritySortOrder float64
	SubSortOrder      *float64
	State             string
	Assignee          string
	Creator           string
	Parent            string
	Project           string
	Cycle             string
	DueDate           string
	LabelIDs          string
	SubscriberIDs     string
	Started           int64
	Completed         int64
	Canceled          int64
	StartedTriage     int64
	Triaged           int64
	AddedToTeam       int64
	AddedToProject    int64
	AddedToCycle      int64
	Trashed           bool
	AutoArchived      int64
	AutoClosed        int64
	SnoozedUntil      int64
	SnoozedBy         string
	Restored          int64 // when it was unarchived; the period until it is archived again begins then
}

// PriorityLabels are the names of the priorities from 0 to 4.
var PriorityLabels = []string{"No priority", "Urgent", "High", "Medium", "Low"}

// WriteIssue is an input of issueCreate and issueUpdate. IDs of team, state,
// assignee, project, cycle and labels are UUIDs; the parent's ID may be an identifier.
type WriteIssue struct {
	ID            string
	Team          opt.Opt[string]
	Title         opt.Opt[string]
	Description   opt.Opt[string]
	Priority      opt.Opt[int]
	Estimate      opt.Opt[int]
	State         opt.Opt[string]
	Assignee      opt.Opt[string]
	Parent        opt.Opt[string]
	Project       opt.Opt[string]
	Cycle         opt.Opt[string]
	DueDate       opt.Opt[string]
	Labels        opt.Opt[[]string]
	Added         []string // labels, on update
	Removed       []string
	Subscribers   opt.Opt[[]string]
	SortOrder     opt.Opt[float64]
	PriorityOrder opt.Opt[float64]
	SubSortOrder  opt.Opt[float64]
	CreatedAt     opt.Opt[int64]
	CompletedAt   opt.Opt[int64]
	Trashed       opt.Opt[bool]
	SnoozedUntil  opt.Opt[int64]
	SnoozedBy     opt.Opt[string] // the caller if absent
}

// IssueURL returns the address of an issue.
func (v *View) IssueURL(i *Issue) string {
	b := make([]byte, 0, 160)
	b = append(append(append(b, v.url...), "/issue/"...), i.Identifier...)
	if s := appendSlug(append(b, '/'), i.Title, 70); len(s) > len(b)+1 {
		b = s
	}
	return string(b)
}

// BranchName returns the suggested name of a branch in which the viewer works on an
// issue.
func (v *View) BranchName(i *Issue) string {
	b := append(appendSlug(make([]byte, 0, 128), v.viewer.DisplayName, 30), '/')
	b = append(b, lower(i.Identifier)...)
	if s := appendSlug(append(b, '-'), i.Title, 50); len(s) > len(b)+1 {
		b = s
	}
	return string(b)
}

// splitIdentifier splits an identifier such as KEY-12. The key may be in any case.
func splitIdentifier(s string) (key string, number int64, ok bool) {
	key, digits, found := strings.Cut(strings.TrimSpace(s), "-")
	number, err := strconv.ParseInt(digits, 10, 64)
	return strings.ToUpper(key), number, found && err == nil && key != "" && number > 0 && digits[0] != '+'
}

// Issue returns an issue by its id, identifier or former identifier. It returns
// NotFound.
func (v *View) Issue(id string) (*Issue, error) {
	if !ids.IsUUID(id) {
		key, number, ok := splitIdentifier(id)
		if !ok {
			return nil, notFound("Issue")
		}
		found, err := issueOfNumber(v.Tx, v.Tenant, key, number)
		if err != nil || found == "" {
			return nil, orElse(err, notFound("Issue"))
		}
		id = found
	}
	return Issues.Get(v, id)
}

// CreateIssue creates an issue. It returns NotFound for references, BadArgument,
// BadInput and Taken.
func (t *Tracker) CreateIssue(ctx context.Context, p *auth.Principal, in WriteIssue) (*Change[Issue], error) {
	return changed(t, ctx, p, Issues, func(w *writer) (*Issue, error) { return w.createIssue(in) })
}

func (w *writer) createIssue(in WriteIssue) (*Issue, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	if err := entity.CheckUUID("teamId", in.Team.Value); err != nil {
		return nil, err
	}
	team, err := w.teamOf(lower(in.Team.Value))
	if err != nil {
		return nil, err
	}
	in.Title.Set = true
	in.Team = opt.Opt[string]{}
	i := &Issue{Base: w.fresh(id), Team: team.ID, Creator: w.Caller, AddedToTeam: w.Micros()}
	if i.Number, i.SortOrder, err = nextNumber(w.Tx, w.Tenant, team.ID); err != nil {
		return nil, err
	}
	i.Identifier = team.Key + "-" + digits(i.Number)
	i.PrioritySortOrder = i.SortOrder
	if !in.State.Set || in.State.Null {
		in.State = opt.Opt[string]{}
		state, err := w.defaultState(team)
		if err != nil {
			return nil, err
		}
		w.enterState(i, nil, state)
	}
	i.SubscriberIDs = w.Caller
	if err := w.fillIssue(i, team, in); err != nil {
		return nil, err
	}
	if err := w.joinCycle(i, team, "", in); err != nil {
		return nil, err
	}
	if err := w.backdate(i, in); err != nil {
		return nil, err
	}
	insert := Issues.InsertFresh
	if in.ID != "" {
		insert = Issues.Insert
	}
	if err := insert(w.Tx, i); err != nil {
		return nil, err
	}
	if err := w.linkIssue(&Issue{}, i); err != nil {
		return nil, err
	}
	if err := countCreated(w); err != nil {
		return nil, err
	}
	if err := w.dueChange(&Issue{}, i); err != nil {
		return nil, err
	}
	if err := w.tallyIssue(&Issue{}, i); err != nil {
		return nil, err
	}
	if err := w.reindex(i.ID, true); err != nil {
		return nil, err
	}
	return i, emit(w, Issues, i, "create", nil)
}

// backdate sets the times of an imported issue.
func (w *writer) backdate(i *Issue, in WriteIssue) error {
	if at, ok := in.CreatedAt.Get(); ok {
		if at > w.Micros() {
			return badArgument("createdAt", "createdAt must be in the past")
		}
		i.Created = at
	}
	if at, ok := in.CompletedAt.Get(); ok {
		if at > w.Micros() || at < i.Created {
			return badArgument("completedAt", "completedAt must be in the past and not before createdAt")
		}
		if i.Completed == 0 {
			return badInput("completedAt contradicts the state of the issue.")
		}
		i.Completed, i.Started = at, min(i.Started, at)
	}
	return nil
}
