// Package seed declares what a seed document may contain about the tracker. It
// knows no rules: the service applies the document and checks it.
package seed

import "understudy/internal/platform/seeddoc"

// Document is the part of a seed document about the tracker.
type Document struct {
	seeddoc.Pos
	Users    seeddoc.Named[User]    `seed:"users" doc:"People of the organization. One whose e-mail address is there already is used as it is."`
	Teams    seeddoc.Named[Team]    `seed:"teams" doc:"A team whose key is there already is added to."`
	Labels   seeddoc.Named[Label]   `seed:"labels"`
	Projects seeddoc.Named[Project] `seed:"projects"`
	Cycles   seeddoc.Named[Cycle]   `seed:"cycles"`
	Issues   seeddoc.Named[Issue]   `seed:"issues" doc:"Numbered in this order; a parent stands before its sub-issues."`
	Comments []Comment              `seed:"comments" doc:"In any order; a comment stands before its replies."`
	Webhooks seeddoc.Named[Webhook] `seed:"webhooks" doc:"They hear of what happens after the document was applied."`
	APIKeys  seeddoc.Named[APIKey]  `seed:"api_keys" doc:"Only the sha256 of a key is stored."`
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

// Team has issues, with a workflow. It begins with the states Backlog, Todo, In
// Progress, In Review, Done and Canceled.
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
	States      seeddoc.Named[State] `seed:"states" doc:"Further states of its workflow. In a new team, one with the name of a state that teams begin with takes its place."`
	Settings    *TeamSettings        `seed:"settings" doc:"What is left out stays as it is."`
	Created     seeddoc.Time         `seed:"created,past"`
}

// TeamSettings are the settings of a team on which rules depend.
type TeamSettings struct {
	seeddoc.Pos
	Timezone              *string     `seed:"timezone" doc:"An IANA name, such as Europe/Berlin."`
	Triage                *bool       `seed:"triage_enabled" doc:"Whether new issues wait in a state Triage."`
	PriorityToLeaveTriage *bool       `seed:"require_priority_to_leave_triage"`
	Cycles                *bool       `seed:"cycles_enabled" doc:"Whether cycles are created, completed and followed by the next as time goes on."`
	CycleWeeks            *int64      `seed:"cycle_duration" doc:"Weeks, 1 to 8."`
	CycleCooldownWeeks    *int64      `seed:"cycle_cooldown_time" doc:"Weeks, 0 to 8, between the end of a cycle and the start of the next."`
	CycleStartDay         *int64      `seed:"cycle_start_day" doc:"0 is Sunday, 6 is Saturday."`
	UpcomingCycles        *int64      `seed:"upcoming_cycle_count" doc:"How many cycles are kept ready, up to 10."`
	CycleAssignStarted    *bool       `seed:"cycle_issue_auto_assign_started" doc:"Whether issues that are started join the current cycle."`
	CycleAssignCompleted  *bool       `seed:"cycle_issue_auto_assign_completed" doc:"Whether issues that are completed join the current cycle."`
	CycleLockToActive     *bool       `seed:"cycle_lock_to_active" doc:"Whether all planned issues are in the current cycle."`
	AutoArchiveMonths     *float64    `seed:"auto_archive_period" doc:"Months of 30 days after which closed issues are archived; 0 is never."`
	AutoCloseMonths       *float64    `seed:"auto_close_period" doc:"Months of 30 days without activity after which open issues are closed; 0 is never."`
	AutoCloseState        seeddoc.Ref `seed:"auto_close_state" doc:"A state of type completed or canceled; the first canceled one when left out."`
	AutoCloseParents      *bool       `seed:"auto_close_parent_issues" doc:"Whether an issue is completed when its last sub-issue is closed."`
	AutoCloseChildren     *bool       `seed:"auto_close_child_issues" doc:"Whether sub-issues are closed with their parent."`
}

// State is a step of a team's workflow.
type State struct {
	seeddoc.Pos
	ID          string   `seed:"id" doc:"A UUID of version 4; made up when left out."`
	Name        string   `seed:"name" doc:"The document's own name when left out."`
	Type        string   `seed:"type,required" enum:"backlog,unstarted,started,completed,canceled"`
	Color       string   `seed:"color" doc:"Such as #5e6ad2; that of the type when left out."`
	Description string   `seed:"description"`
	Position    *float64 `seed:"position" doc:"After the others when left out."`
}

// Label is a label for issues.
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

// Project is a project of one or more teams, with issues of theirs.
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

// Cycle is a period for which a team plans issues.
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

// Issue is an issue of a team.
type Issue struct {
	seeddoc.Pos
	ID          string        `seed:"id"`
	Team        seeddoc.Ref   `seed:"team,required"`
	Title       string        `seed:"title,required"`
	Description string        `seed:"description"`
	State       string        `seed:"state" doc:"The name of a state of the team, such as In Progress, the document's own name for it, or its id."`
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

// Comment is a comment on an issue or a project, or a reply.
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

// Webhook is a registration for events.
type Webhook struct {
	seeddoc.Pos
	ID            string      `seed:"id"`
	URL           string      `seed:"url,required"`
	Label         string      `seed:"label" doc:"The document's own name when left out."`
	Secret        string      `seed:"secret" doc:"What deliveries are signed with; made up, and shown in the reply, when left out."`
	Team          seeddoc.Ref `seed:"team" doc:"All public teams when left out."`
	ResourceTypes []string    `seed:"resource_types" doc:"Such as Issue and Comment; every type that there is when left out."`
	Disabled      bool        `seed:"disabled"`
}

// APIKey is a personal key with which programs act as a user.
type APIKey struct {
	seeddoc.Pos
	User  seeddoc.Ref `seed:"user" doc:"The organization's owner when left out."`
	Label string      `seed:"label" doc:"The document's own name when left out."`
	Key   string      `seed:"key" doc:"trk_api_ and 20 to 200 letters and digits; made up, and shown in the reply, when left out."`
}
