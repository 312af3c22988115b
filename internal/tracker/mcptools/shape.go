package mcptools

import "encoding/json"

// The entities as the tools show them: flat, with names beside ids.

type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type priority struct {
	Value int    `json:"value"`
	Name  string `json:"name"`
}

// issueFields is the selection for an issue. The number of labels is bounded,
// because the page size of a connection counts toward the cost of the query.
const issueFields = `id identifier title description priority priorityLabel estimate url branchName createdAt updatedAt archivedAt dueDate
	state { name type } team { id key name } assignee { id name } creator { id name } project { id name } cycle { id name number }
	parent { id identifier } labels(first: 20) { nodes { name } }`

type issueNode struct {
	ID, Identifier, Title string
	Description           *string
	Priority              float64
	PriorityLabel         string
	Estimate              *float64
	URL, BranchName       string
	CreatedAt, UpdatedAt  string
	ArchivedAt, DueDate   *string
	State                 struct{ Name, Type string }
	Team                  struct{ ID, Key, Name string }
	Assignee, Creator     *named
	Project               *named
	Cycle                 *struct {
		ID     string
		Name   *string
		Number float64
	}
	Parent *struct{ ID, Identifier string }
	Labels struct{ Nodes []named }
}

// issue is an issue as the tools show it.
type issue struct {
	ID            string    `json:"id"`
	Identifier    string    `json:"identifier"`
	Title         string    `json:"title"`
	Description   *string   `json:"description"`
	Priority      priority  `json:"priority"`
	Estimate      *float64  `json:"estimate,omitempty"`
	URL           string    `json:"url"`
	GitBranchName string    `json:"gitBranchName"`
	CreatedAt     string    `json:"createdAt"`
	UpdatedAt     string    `json:"updatedAt"`
	ArchivedAt    *string   `json:"archivedAt,omitempty"`
	DueDate       *string   `json:"dueDate,omitempty"`
	Status        string    `json:"status"`
	StatusType    string    `json:"statusType"`
	Labels        []string  `json:"labels"`
	Assignee      string    `json:"assignee,omitempty"`
	AssigneeID    string    `json:"assigneeId,omitempty"`
	CreatedBy     string    `json:"createdBy,omitempty"`
	CreatedByID   string    `json:"createdById,omitempty"`
	Project       string    `json:"project,omitempty"`
	ProjectID     string    `json:"projectId,omitempty"`
	Cycle         string    `json:"cycle,omitempty"`
	CycleNumber   int       `json:"cycleNumber,omitempty"`
	CycleID       string    `json:"cycleId,omitempty"`
	Parent        string    `json:"parent,omitempty"`
	ParentID      string    `json:"parentId,omitempty"`
	Team          string    `json:"team"`
	TeamKey       string    `json:"teamKey"`
	TeamID        string    `json:"teamId"`
	Children      []child   `json:"children,omitempty"`
	Comments      []comment `json:"comments,omitempty"`
	MoreComments  bool      `json:"moreComments,omitempty"`
}

// child is a sub-issue, shown in short.
type child struct {
	ID         string `json:"id"`
	Identifier string `json:"identifier"`
	Title      string `json:"title"`
	Status     string `json:"status"`
}

func (n *issueNode) show() *issue {
	out := &issue{ID: n.ID, Identifier: n.Identifier, Title: n.Title, Description: n.Description,
		Priority: priority{int(n.Priority), n.PriorityLabel}, Estimate: n.Estimate, URL: n.URL, GitBranchName: n.BranchName,
		CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, ArchivedAt: n.ArchivedAt, DueDate: n.DueDate,
		Status: n.State.Name, StatusType: n.State.Type, Labels: []string{}, Team: n.Team.Name, TeamKey: n.Team.Key, TeamID: n.Team.ID}
	for _, l := range n.Labels.Nodes {
		out.Labels = append(out.Labels, l.Name)
	}
	if n.Assignee != nil {
		out.Assignee, out.AssigneeID = n.Assignee.Name, n.Assignee.ID
	}
	if n.Creator != nil {
		out.CreatedBy, out.CreatedByID = n.Creator.Name, n.Creator.ID
	}
	if n.Project != nil {
		out.Project, out.ProjectID = n.Project.Name, n.Project.ID
	}
	if n.Cycle != nil {
		out.CycleID, out.CycleNumber = n.Cycle.ID, int(n.Cycle.Number)
		if n.Cycle.Name != nil {
			out.Cycle = *n.Cycle.Name
		}
	}
	if n.Parent != nil {
		out.Parent, out.ParentID = n.Parent.Identifier, n.Parent.ID
	}
	return out
}

const commentFields = `id body createdAt updatedAt url user { id name } issue { id identifier } parent { id }`

type commentNode struct {
	ID, Body, CreatedAt, UpdatedAt, URL string
	User                                *named
	Issue                               *struct{ ID, Identifier string }
	Parent                              *struct{ ID string }
}

// comment is a comment as the tools show it.
type comment struct {
	ID        string `json:"id"`
	Body      string `json:"body"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
	User      *named `json:"user"`
	IssueID   string `json:"issueId,omitempty"`
	ParentID  string `json:"parentId,omitempty"`
	URL       string `json:"url"`
}

func (n *commentNode) show() comment {
	out := comment{ID: n.ID, Body: n.Body, CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, User: n.User, URL: n.URL}
	if n.Issue != nil {
		out.IssueID = n.Issue.ID
	}
	if n.Parent != nil {
		out.ParentID = n.Parent.ID
	}
	return out
}

const teamFields = `id key name description createdAt updatedAt archivedAt states(first: 20) { nodes { name type } }`

// team is a team as the tools show it.
type team struct {
	ID          string    `json:"id"`
	Key         string    `json:"key"`
	Name        string    `json:"name"`
	Description *string   `json:"description,omitempty"`
	CreatedAt   string    `json:"createdAt"`
	UpdatedAt   string    `json:"updatedAt"`
	ArchivedAt  *string   `json:"archivedAt,omitempty"`
	States      stateList `json:"states"`
}

// stateList is decoded from a connection and encoded as a list.
type stateList []state

type state struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func (s *stateList) UnmarshalJSON(b []byte) error {
	var c struct{ Nodes []state }
	err := json.Unmarshal(b, &c)
	*s = append(stateList{}, c.Nodes...)
	return err
}

const projectFields = `id name description url createdAt updatedAt archivedAt startDate targetDate progress priority priorityLabel
	status { id name type } lead { id name } teams(first: 20) { nodes { key } }`

type projectNode struct {
	ID, Name, Description, URL, CreatedAt, UpdatedAt string
	ArchivedAt, StartDate, TargetDate                *string
	Progress, Priority                               float64
	PriorityLabel                                    string
	Status                                           status
	Lead                                             *named
	Teams                                            struct{ Nodes []struct{ Key string } }
}

type status struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// project is a project as the tools show it.
type project struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	URL         string   `json:"url"`
	State       string   `json:"state"`
	Status      status   `json:"status"`
	Priority    priority `json:"priority"`
	Progress    float64  `json:"progress"`
	Lead        *named   `json:"lead,omitempty"`
	Teams       []string `json:"teams"`
	StartDate   *string  `json:"startDate,omitempty"`
	TargetDate  *string  `json:"targetDate,omitempty"`
	CreatedAt   string   `json:"createdAt"`
	UpdatedAt   string   `json:"updatedAt"`
	ArchivedAt  *string  `json:"archivedAt,omitempty"`
}

func (n *projectNode) show() project {
	out := project{ID: n.ID, Name: n.Name, Description: n.Description, URL: n.URL, State: n.Status.Type, Status: n.Status,
		Priority: priority{int(n.Priority), n.PriorityLabel}, Progress: n.Progress, Lead: n.Lead, Teams: []string{},
		StartDate: n.StartDate, TargetDate: n.TargetDate, CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, ArchivedAt: n.ArchivedAt}
	for _, t := range n.Teams.Nodes {
		out.Teams = append(out.Teams, t.Key)
	}
	return out
}
