package messaging

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// User is a member of a workspace: a person, or the bot user of an app.
type User struct {
	Workspace string
	ID        string
	Account   string // "" for bots
	Name      string // the handle
	Email     string
	IsAdmin   bool
	IsOwner   bool
	Deleted   bool
	BotID     string // "" for people
	AppID     string // "" for people
	Presence  string // auto or away
	TZ        string
	Profile   Profile
	Created   int64 // microseconds
	Updated   int64 // microseconds

	profile []byte // as stored
}

type userKey struct{ workspace, id string }

// IsBot reports whether this is the bot user of an app.
func (u *User) IsBot() bool { return u.BotID != "" }

// NewUser are the parameters for creating a user of a workspace.
type NewUser struct {
	ID       string // generated when empty
	Account  string
	Email    string
	RealName string
	Handle   string // derived from e-mail or name when empty
	IsAdmin  bool
	IsOwner  bool
	BotID    string
	AppID    string
	Created  int64 // microseconds; now when 0
}

func (s *Service) addUser(tx *store.Tx, workspace string, in NewUser) (*User, error) {
	now := in.Created
	if now == 0 {
		now = s.Clock.Micros()
	}
	u := &User{Workspace: workspace, ID: in.ID, Account: in.Account, Email: in.Email, IsAdmin: in.IsAdmin, IsOwner: in.IsOwner,
		BotID: in.BotID, AppID: in.AppID, Presence: "auto", TZ: "Etc/UTC", Created: now, Updated: now}
	if u.ID == "" {
		u.ID = s.IDs.Object("U")
	}
	wanted := in.Handle
	if wanted == "" {
		wanted, _, _ = strings.Cut(in.Email, "@")
	}
	if wanted == "" {
		wanted = in.RealName
	}
	var err error
	if u.Name, err = freeHandle(tx, workspace, handleOf(wanted)); err != nil {
		return nil, err
	}
	real := strings.TrimSpace(in.RealName)
	if real == "" {
		real = u.Name
	}
	u.Profile = newProfile(u, real)
	if err := insertUser(tx, u); err != nil {
		return nil, err
	}
	return u, nil
}

var notHandle = regexp.MustCompile(`[^\p{L}\p{N}._-]+`)

// handleOf derives a handle from any text: lower case, 1 to 21 characters as
// upstream.
func handleOf(text string) string {
	h := []rune(strings.Trim(notHandle.ReplaceAllString(strings.ToLower(text), "_"), "_.-"))
	if len(h) > 21 {
		h = h[:21]
	}
	if len(h) == 0 {
		return "user"
	}
	return string(h)
}

// freeHandle returns wanted, with a number appended if the handle is taken.
func freeHandle(tx *store.Tx, workspace, wanted string) (string, error) {
	name := wanted
	for n := 2; ; n++ {
		taken, err := handleTaken(tx, workspace, name)
		if err != nil || !taken {
			return name, err
		}
		name = fmt.Sprintf("%s%d", wanted, n)
	}
}

// UserByID returns a user of the caller's workspace, or UserNotFound.
func (s *Service) UserByID(ctx context.Context, c Caller, id string) (*User, error) {
	if id == slackbotID {
		team, err := s.Workspace(ctx, c)
		if err != nil {
			return nil, err
		}
		return slackbot(team), nil
	}
	u, err := s.user(ctx, c.Workspace, id)
	if err == nil && u == nil {
		err = UserNotFound
	}
	return s.current(u), err
}

// ListUsers returns the users after an id, in the order of ids, at most limit,
// and reports whether there are more. The service's own user is included.
func (s *Service) ListUsers(ctx context.Context, c Caller, after string, limit int) (out []*User, more bool, err error) {
	cut := false // the users fill the page before the limit
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, cut, err = listUsersWithin(tx, budget.NewPage(ctx), c.Workspace, after, limit+1)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if after < slackbotID && !(cut && out[len(out)-1].ID < slackbotID) {
		team, err := s.Workspace(ctx, c)
		if err != nil {
			return nil, false, err
		}
		out = append(out, slackbot(team))
		slices.SortFunc(out, func(a, b *User) int { return strings.Compare(a.ID, b.ID) })
	}
	if len(out) > limit {
		out, more = out[:limit], true
	}
	more = more || cut
	for i := range out {
		out[i] = s.current(out[i])
	}
	return out, more, err
}

func (u *User) read() error { return json.Unmarshal(u.profile, &u.Profile) }

// UserObject is the wire form of a user.
type UserObject struct {
	ID                string  `json:"id"`
	TeamID            string  `json:"team_id"`
	Name              string  `json:"name"`
	Deleted           bool    `json:"deleted"`
	Color             string  `json:"color,omitempty"`
	RealName          string  `json:"real_name,omitempty"`
	TZ                string  `json:"tz,omitempty"`
	TZLabel           string  `json:"tz_label,omitempty"`
	TZOffset          *int    `json:"tz_offset,omitempty"`
	Profile           Profile `json:"profile"`
	IsAdmin           *bool   `json:"is_admin,omitempty"`
	IsOwner           *bool   `json:"is_owner,omitempty"`
	IsPrimaryOwner    *bool   `json:"is_primary_owner,omitempty"`
	IsRestricted      *bool   `json:"is_restricted,omitempty"`
	IsUltraRestricted *bool   `json:"is_ultra_restricted,omitempty"`
	IsBot             bool    `json:"is_bot"`
	IsAppUser         bool    `json:"is_app_user"`
	Updated           int64   `json:"updated"`
	IsEmailConfirmed  *bool   `json:"is_email_confirmed,omitempty"`
	WhoCanShare       string  `json:"who_can_share_contact_card,omitempty"`
	Has2FA            *bool   `json:"has_2fa,omitempty"` // only a person sees it: the own one, an admin everyone's
	Locale            string  `json:"locale,omitempty"`
}

// Object returns the wire form, without the e-mail address unless withEmail.
func (u *User) Object(withEmail bool) UserObject {
	o := UserObject{ID: u.ID, TeamID: u.Workspace, Name: u.Name, Deleted: u.Deleted, Profile: u.Profile,
		IsBot: u.IsBot(), Updated: u.Updated / 1e6}
	if !withEmail {
		o.Profile.Email = ""
	}
	if u.Deleted {
		return o
	}
	no, zero, admin, owner, confirmed := false, 0, u.IsAdmin, u.IsOwner, !u.IsBot()
	o.Color, o.RealName = colorOf(u.ID), u.Profile.RealName
	o.TZ, o.TZLabel, o.TZOffset = u.TZ, "Coordinated Universal Time", &zero
	o.IsAdmin, o.IsOwner, o.IsPrimaryOwner = &admin, &owner, &owner
	o.IsRestricted, o.IsUltraRestricted, o.IsEmailConfirmed = &no, &no, &confirmed
	o.WhoCanShare = "EVERYONE"
	return o
}

var colors = []string{"9f69e7", "4bbe2e", "e7392d", "3c989f", "674b1b", "e96699", "e0a729", "684b6c", "5b89d5", "2b6836", "99a949", "df3dc0"}

func colorOf(id string) string {
	n := 0
	for _, c := range []byte(id) {
		n = n*31 + int(c)
	}
	return colors[uint(n)%uint(len(colors))]
}

// userFault is a user whom an invitation could not add, with the reason.
type userFault struct {
	User  string `json:"user"`
	OK    bool   `json:"ok"`
	Error string `json:"error"`
}

// UserFaults lists the users whom an invitation could not add.
type UserFaults []userFault

func (f UserFaults) err() error {
	return fault.New(fault.Invalid, fault.Reason(f[0].Error), "").With(f)
}
