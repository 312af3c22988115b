// Package seed says what of the tracker a seed document may hold. It knows no
// rule: the service applies the document and has its own rules check it.
package seed

import "understudy/internal/platform/seeddoc"

// Document is the part of the tracker.
type Document struct {
	seeddoc.Pos
	Users    seeddoc.Named[User]    `seed:"users" doc:"People of the organization. One whose e-mail address is there already is used as it is."`
	Teams    seeddoc.Named[Team]    `seed:"teams" doc:"A team whose key is there already is added to."`
	Labels   seeddoc.Named[Label]   `seed:"labels"`
	Projects seeddoc.Named[Project] `seed:"projects"`
	Cycles   seeddoc.Named[Cycle]   `seed:"cycles"`
	Issues   seeddoc.Named[Issue]   `seed:"issues" doc:"Numbered in this order; a parent stands before its sub-issues."`
	Comments []Comment              `seed:"comments" doc:"In any order; a comment stands before its replies."`
}

// User is a person.
type User struct {
	seeddoc.Pos
	ID          string       `seed:"id" doc:"A UUID of version 4; made up when left out."`
	Email       string       `seed:"email,required"`
	Name        string       `seed:"name" doc:"The document's own name when left out."`
	DisplayName string       `seed:"display_name" doc:"The part of the e-mail address before the @ when left out."`
	Title       string       `seed:"title"`
	Admin       bool         `seed:"admin"`
	Guest       bool         `seed:"guest"`
	Inactive    bool         `seed:"inactive"`
	Created     seeddoc.Time `seed:"created,past"`
}

// Team owns issues and their workflow. It begins with the states Backlog,
// Todo, In Progress, In Review, Done and Canceled.
type Team struct {
	seeddoc.Pos
	ID          string               `seed:"id" doc:"A UUID of version 4; made up when left out."`
	Key         string               `seed:"key" doc:"Begins the identifiers of its issues; made of the name when left out."`
	Name        string               `seed:"name" doc:"The document's own name when left out."`
	Description string               `seed:"description"`
	Color       string               `seed:"color"`
	Icon        string               `seed:"icon"`
	Private     bool                 `seed:"private"`
	Owner       seeddoc.Ref          `seed:"owner" doc:"The organization's owner when left out."`
	Members     []seeddoc.Ref        `seed:"members"`
	States      seeddoc.Named[State] `seed:"states" doc:"Further states of its workflow."`
	Created     seeddoc.Time         `seed:"created,past"`
}

// State is a step of a team's workflow.
type State struct {
	seeddoc.Pos
	Name        string   `seed:"name" doc:"The document's own name when left out."`
	Type        string   `seed:"type,required" enum:"backlog,unstarted,started,completed,canceled"`
	Color       string   `seed:"color" doc:"Such as #5e6ad2; that of the type when left out."`
	Description string   `seed:"description"`
	Position    *float64 `seed:"position" doc:"After the others when left out."`
}

// Label marks issues.
type Label struct {
	seeddoc.Pos
	ID          string       `seed:"id"`
	Name        string       `seed:"name" doc:"The document's own name when left out."`
	Color       string       `seed:"color"`
	Description string       `seed:"description"`
	Team        seeddoc.Ref  `seed:"team" doc:"The whole organization when left out."`
	Group       bool         `seed:"group" doc:"Holds other labels instead of marking issues."`
	Parent      seeddoc.Ref  `seed:"parent" doc:"A group that stands before it."`
	Created     seeddoc.Time `seed:"created,past"`
}

// Project gathers issues of one or more teams.
type Project struct {
	seeddoc.Pos
	ID          string        `seed:"id"`
	Name        string        `seed:"name" doc:"The document's own name when left out."`
	Description string        `seed:"description"`
	Content     string        `seed:"content"`
	Color       string        `seed:"color"`
	Icon        string        `seed:"icon"`
	Status      string        `seed:"status" doc:"The name of a project status, such as In Progress; Backlog when left out."`
	Teams       []seeddoc.Ref `seed:"teams,required"`
	Lead        seeddoc.Ref   `seed:"lead"`
	Members     []seeddoc.Ref `seed:"members"`
	Creator     seeddoc.Ref   `seed:"creator"`
	Priority    int64         `seed:"priority" doc:"0 none, 1 urgent, 2 high, 3 medium, 4 low."`
	StartDate   seeddoc.Day   `seed:"start_date"`
	TargetDate  seeddoc.Day   `seed:"target_date"`
	Created     seeddoc.Time  `seed:"created,past"`
}

// Cycle is a stretch of time for which a team plans issues.
type Cycle struct {
	seeddoc.Pos
	ID          string       `seed:"id"`
	Team        seeddoc.Ref  `seed:"team,required"`
	Name        string       `seed:"name"`
	Description string       `seed:"description"`
	Starts      seeddoc.Time `seed:"starts,required"`
	Ends        seeddoc.Time `seed:"ends,required"`
	Completed   seeddoc.Time `seed:"completed"`
}

// Issue is a piece of work.
type Issue struct {
	seeddoc.Pos
	ID          string        `seed:"id"`
	Team        seeddoc.Ref   `seed:"team,required"`
	Title       string        `seed:"title,required"`
	Description string        `seed:"description"`
	State       string        `seed:"state" doc:"The name of a state of the team, such as In Progress, or the document's own name for it."`
	Priority    int64         `seed:"priority" doc:"0 none, 1 urgent, 2 high, 3 medium, 4 low."`
	Estimate    *int64        `seed:"estimate"`
	Creator     seeddoc.Ref   `seed:"creator" doc:"The organization's owner when left out."`
	Assignee    seeddoc.Ref   `seed:"assignee"`
	Parent      seeddoc.Ref   `seed:"parent"`
	Project     seeddoc.Ref   `seed:"project"`
	Cycle       seeddoc.Ref   `seed:"cycle"`
	Labels      []seeddoc.Ref `seed:"labels"`
	Subscribers []seeddoc.Ref `seed:"subscribers"`
	DueDate     seeddoc.Day   `seed:"due_date"`
	Created     seeddoc.Time  `seed:"created,past"`
	Started     seeddoc.Time  `seed:"started"`
	Completed   seeddoc.Time  `seed:"completed"`
	Canceled    seeddoc.Time  `seed:"canceled"`
	Updated     seeddoc.Time  `seed:"updated" doc:"The latest of the other times when left out."`
}

// Comment is a remark on an issue or a project, or a reply.
type Comment struct {
	seeddoc.Pos
	Key     string       `seed:"key" doc:"A name by which replies refer to it."`
	ID      string       `seed:"id"`
	Issue   seeddoc.Ref  `seed:"issue" doc:"An issue, a project or a parent must be given."`
	Project seeddoc.Ref  `seed:"project"`
	Parent  seeddoc.Ref  `seed:"parent"`
	User    seeddoc.Ref  `seed:"user,required"`
	Body    string       `seed:"body,required"`
	Created seeddoc.Time `seed:"created,past"`
}
