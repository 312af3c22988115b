package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Users are the members of the organization.
var Users = declare(entity.Kind[*View, User]{Name: "User", Table: "tracker_user", Few: true, Enabled: "t.active",
	Relations: map[string]entity.Relation{
		"team":    {Join: " JOIN tracker_member j ON j.org = t.org AND j.user_id = t.id", Parent: "j.team"},
		"project": {Join: " JOIN tracker_project_member j ON j.org = t.org AND j.user_id = t.id", Parent: "j.project"},
		// SQLite would read all subscribers of the organization if it knew that their
		// org equals that of the issue.
		"issue": {Join: " JOIN tracker_issue p ON p.org = t.org JOIN tracker_issue_subscriber j ON j.org = p.org || ''" +
			" AND j.created = p.created AND j.issue = p.id AND j.user_id = t.id", Parent: "p.id"},
	},
	Sorts: map[string]entity.SortKey{
		"name":        {Expr: "@.name"},
		"displayName": {Expr: "@.display_name"},
	},
}, (*User).Header, []entity.Column[User]{
	entity.Col("account", "", entity.Hidden, func(u *User) any { return &u.Account }),
	entity.Col("email", "email", entity.Text, func(u *User) any { return &u.Email }),
	entity.Col("name", "name", entity.Text, func(u *User) any { return &u.Name }),
	entity.Col("display_name", "displayName", entity.Text, func(u *User) any { return &u.DisplayName }),
	entity.Col("avatar_url", "avatarUrl", entity.Ref, func(u *User) any { return &u.AvatarURL }),
	entity.Col("description", "description", entity.Ref, func(u *User) any { return &u.Description }),
	entity.Col("title", "title", entity.Ref, func(u *User) any { return &u.Title }),
	entity.Col("timezone", "timezone", entity.Ref, func(u *User) any { return &u.Timezone }),
	entity.Col("status_emoji", "", entity.Hidden, func(u *User) any { return &u.StatusEmoji }),
	entity.Col("status_label", "", entity.Hidden, func(u *User) any { return &u.StatusLabel }),
	entity.Col("status_until", "", entity.Hidden, func(u *User) any { return &u.StatusUntil }),
	entity.Col("admin", "admin", entity.Flag, func(u *User) any { return &u.Admin }),
	entity.Col("owner", "owner", entity.Flag, func(u *User) any { return &u.Owner }),
	entity.Col("guest", "guest", entity.Flag, func(u *User) any { return &u.Guest }),
	entity.Col("active", "active", entity.Flag, func(u *User) any { return &u.Active }),
	entity.Col("last_seen", "", entity.Hidden, func(u *User) any { return &u.LastSeen }),
	entity.Col("created_issues", "", entity.Hidden, func(u *User) any { return &u.CreatedIssues }),
})

var userShape = &entity.Shape{Name: "User", Table: "tracker_user", Live: ""}

func init() {
	Users.Shape = userShape
	Users.enrich = func(v *View, u *User, data map[string]any) (detail, error) {
		data["url"], data["app"] = v.UserURL(u), false
		return detail{url: v.UserURL(u)}, nil
	}
	userShape.Fields = map[string]entity.Field{
		"id": {Sort: entity.ByID, Expr: "@.id"}, "createdAt": {Sort: entity.ByTime, Expr: "@.created"}, "updatedAt": {Sort: entity.ByTime, Expr: "@.updated"},
		"name": {Sort: entity.ByText, Expr: "@.name"}, "displayName": {Sort: entity.ByText, Expr: "@.display_name"}, "email": {Sort: entity.ByText, Expr: "@.email"},
		"active": {Sort: entity.ByFlag, Expr: "@.active"}, "admin": {Sort: entity.ByFlag, Expr: "@.admin"}, "owner": {Sort: entity.ByFlag, Expr: "@.owner"},
		"app": {Sort: entity.ByFlag, Expr: "1 = 0"}, "invited": {Sort: entity.ByFlag, Expr: "1 = 0"}, "isInvited": {Sort: entity.ByFlag, Expr: "1 = 0"},
		"isMe":           {Sort: entity.ByFlag, Expr: "@.id = :me"},
		"assignedIssues": {Sort: entity.ToMany, From: "tracker_issue #", Expr: "#.org = @.org AND #.assignee = @.id AND #.assignee <> ''", To: func() *entity.Shape { return issueShape }},
	}
}

// UserByAccount returns the users of an account, one for each organization, oldest first.
func UserByAccount(tx *store.Tx, account string) ([]*User, error) {
	return Users.Select(tx, "WHERE t.account = ? AND t.active ORDER BY t.created, t.id", account)
}

// countCreated adds one to the number of issues that the caller has created.
func countCreated(w *writer) error {
	u, err := Users.Find(w.View, w.Caller)
	if err != nil || u == nil {
		return err
	}
	counted := *u
	counted.CreatedIssues, counted.Version = u.CreatedIssues+1, w.syncID
	defer Users.Keep(w.Scoped(), &counted)
	return w.Tx.ExecLater(`UPDATE tracker_user SET created_issues = created_issues + 1, version = ? WHERE org = ? AND id = ?`, w.syncID, w.Tenant, w.Caller)
}

// updateAccount sets the account of a user, which signs in as that user.
func updateAccount(tx *store.Tx, u *User, account string) error {
	_, err := tx.Exec(`UPDATE tracker_user SET account = ? WHERE org = ? AND id = ?`, account, u.Org, u.ID)
	return err
}
