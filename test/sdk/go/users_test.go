package sdk

import (
	"testing"

	"github.com/slack-go/slack"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Sends cursor= and team_id= empty, presence=false, limit=200.
	all, err := w.bot.GetUsers()
	w.must(err)
	byID := map[string]slack.User{}
	for _, u := range all {
		byID[u.ID] = u
	}
	if u := byID[w.cred.BotUserID]; !u.IsBot || u.Profile.BotID != w.cred.BotID || u.Profile.ApiAppID != w.cred.AppID {
		t.Errorf("the bot: %+v", u)
	}
	u, err := w.bot.GetUserInfo(w.cred.AdminUserID)
	w.must(err)
	if u.TeamID != w.cred.WorkspaceID || !u.IsAdmin || u.Profile.Email != w.cred.AdminEmail || u.TZ == "" || u.Updated == 0 {
		t.Errorf("the admin: %+v", u)
	}
	two, err := w.bot.GetUsersInfo(w.cred.AdminUserID, w.cred.BotUserID)
	w.must(err)
	if len(*two) != 2 {
		t.Errorf("%d users, want 2", len(*two))
	}
	_, err = w.bot.GetUserInfo("U0NOTHING00")
	refused(t, err, "user_not_found")
}

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.user.SetUserCustomStatus("away for tea", ":tea:", 0))
	w.must(w.user.SetUserRealName("Ada Admin"))
	p, err := w.bot.GetUserProfile(&slack.GetUserProfileParameters{UserID: w.cred.AdminUserID, IncludeLabels: true})
	w.must(err)
	if p.StatusText != "away for tea" || p.StatusEmoji != ":tea:" || p.StatusExpiration != 0 || p.RealName != "Ada Admin" || p.RealNameNormalized != "Ada Admin" {
		t.Errorf("profile: %+v", p)
	}
	if len(p.Fields.ToMap()) != 0 {
		t.Errorf("fields: %+v", p.Fields)
	}
	w.must(w.user.UnsetUserCustomStatus())
	if p, err = w.user.GetUserProfile(&slack.GetUserProfileParameters{}); err != nil || p.StatusText != "" {
		t.Errorf("after unset: %+v, %v", p, err)
	}
	w.must(w.user.SetUserPresence("away"))
	refused(t, w.user.SetUserPresence("busy"), "invalid_presence")
}
