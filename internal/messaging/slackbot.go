package messaging

// slackbotID is the id of the service's own user in every workspace, the author
// of tombstones. The user has no row, cannot sign in and cannot receive messages.
const slackbotID = "USLACKBOT"

// slackbot returns the service's own user of a workspace.
func slackbot(w *Workspace) *User {
	u := &User{Workspace: w.ID, ID: slackbotID, Name: "slackbot", Presence: "auto", TZ: "Etc/UTC", Created: w.Created, Updated: w.Created}
	u.Profile = newProfile(u, "Slackbot")
	always := true
	u.Profile.DisplayName, u.Profile.DisplayNameNormalized, u.Profile.AlwaysActive = "Slackbot", "Slackbot", &always
	return u
}
