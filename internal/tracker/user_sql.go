package tracker

import "understudy/internal/platform/store"

// Users are the members of the organization.
var Users = (&Kind[User]{Name: "User", table: "tracker_user",
	of: map[string]relation{
		"team":    {join: " JOIN tracker_member j ON j.org = t.org AND j.user_id = t.id", parent: "j.team"},
		"project": {join: " JOIN tracker_project_member j ON j.org = t.org AND j.user_id = t.id", parent: "j.project"},
		"issue":   {join: " JOIN tracker_issue_subscriber j ON j.org = t.org AND j.user_id = t.id", parent: "j.issue"},
	},
	sorts: map[string]sortKey{
		"name":        {expr: "@.name"},
		"displayName": {expr: "@.display_name"},
	},
}).ready((*User).base, []column[User]{
	{"account", "", hidden, func(u *User) any { return &u.Account }},
	{"email", "email", text, func(u *User) any { return &u.Email }},
	{"name", "name", text, func(u *User) any { return &u.Name }},
	{"display_name", "displayName", text, func(u *User) any { return &u.DisplayName }},
	{"avatar_url", "avatarUrl", ref, func(u *User) any { return &u.AvatarURL }},
	{"description", "description", ref, func(u *User) any { return &u.Description }},
	{"title", "title", ref, func(u *User) any { return &u.Title }},
	{"timezone", "timezone", ref, func(u *User) any { return &u.Timezone }},
	{"status_emoji", "", hidden, func(u *User) any { return &u.StatusEmoji }},
	{"status_label", "", hidden, func(u *User) any { return &u.StatusLabel }},
	{"status_until", "", hidden, func(u *User) any { return &u.StatusUntil }},
	{"admin", "admin", flag, func(u *User) any { return &u.Admin }},
	{"owner", "owner", flag, func(u *User) any { return &u.Owner }},
	{"guest", "guest", flag, func(u *User) any { return &u.Guest }},
	{"active", "active", flag, func(u *User) any { return &u.Active }},
	{"last_seen", "", hidden, func(u *User) any { return &u.LastSeen }},
	{"created_issues", "", hidden, func(u *User) any { return &u.CreatedIssues }},
})

var userShape = &shape{name: "User", table: "tracker_user", live: ""}

func init() {
	Users.shape = userShape
	Users.enrich = func(v *View, u *User, data map[string]any) (detail, error) {
		data["url"] = v.UserURL(u)
		return detail{url: v.UserURL(u)}, nil
	}
	userShape.terms = map[string]term{
		"id": {sort: anID, expr: "@.id"}, "createdAt": {sort: aTime, expr: "@.created"}, "updatedAt": {sort: aTime, expr: "@.updated"},
		"name": {sort: aText, expr: "@.name"}, "displayName": {sort: aText, expr: "@.display_name"}, "email": {sort: aText, expr: "@.email"},
		"active": {sort: aFlag, expr: "@.active"}, "admin": {sort: aFlag, expr: "@.admin"}, "owner": {sort: aFlag, expr: "@.owner"},
		"app": {sort: aFlag, expr: "1 = 0"}, "invited": {sort: aFlag, expr: "1 = 0"}, "isInvited": {sort: aFlag, expr: "1 = 0"},
		"isMe":           {sort: aFlag, expr: "@.id = :me"},
		"assignedIssues": {sort: toMany, from: "tracker_issue #", expr: "#.org = @.org AND #.assignee = @.id AND #.assignee <> ''", to: func() *shape { return issueShape }},
	}
}

// UserByAccount gives the users of an account, one for each organization, oldest first.
func UserByAccount(tx *store.Tx, account string) ([]*User, error) {
	return Users.query(tx, "SELECT "+Users.selected+" FROM tracker_user t WHERE t.account = ? AND t.active ORDER BY t.created, t.id", account)
}

func countCreated(w *writer) error {
	_, err := w.tx.Exec(`UPDATE tracker_user SET created_issues = created_issues + 1, version = ? WHERE org = ? AND id = ?`, w.syncID, w.org, w.user)
	return err
}
