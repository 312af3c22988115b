package tracker

import (
	"context"
	"net/url"
	"strings"
	"unicode"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// User is a member of an organization.
type User struct {
	entity.Base
	Account       string // id of the account in package auth
	Email         string
	Name          string
	DisplayName   string
	AvatarURL     string
	Description   string
	Title         string
	Timezone      string
	StatusEmoji   string
	StatusLabel   string
	StatusUntil   int64
	Admin         bool
	Owner         bool
	Guest         bool
	Active        bool
	LastSeen      int64
	CreatedIssues int64
}

// newUser returns the user of an account in an organization.
func (t *Tracker) newUser(org, id string, a auth.Account) *User {
	now := t.Clock.Micros()
	display, _, _ := strings.Cut(a.Email, "@")
	name := a.Name
	if name == "" {
		name = display
	}
	return &User{Base: entity.Base{Org: org, ID: id, Created: now, Updated: now}, Account: a.ID, Email: a.Email, Name: name,
		DisplayName: strings.ToLower(display), Active: true}
}

// UserURL returns the address of a user's profile.
func (v *View) UserURL(u *User) string { return v.url + "/profiles/" + url.PathEscape(u.DisplayName) }

// Initials returns the first letters of the first two words of the name.
func (u *User) Initials() string {
	var out []rune
	for _, word := range strings.Fields(u.Name) {
		if len(out) < 2 {
			out = append(out, unicode.ToUpper([]rune(word)[0]))
		}
	}
	return string(out)
}

// UpdateUser is an input of userUpdate.
type UpdateUser struct {
	Name, DisplayName, AvatarURL, Description, Title, Timezone, StatusEmoji, StatusLabel opt.Opt[string]
	StatusUntil                                                                          opt.Opt[int64]
}

// User returns a user by id; "me" is the viewer. It returns NotFound.
func (v *View) User(id string) (*User, error) {
	if id == "me" {
		return v.viewer, nil
	}
	return Users.Get(v, id)
}

// UpdateUser changes a user. It returns Forbidden for another's profile unless
// the caller is an admin, NotFound and BadArgument.
func (t *Tracker) UpdateUser(ctx context.Context, p *auth.Principal, id string, in UpdateUser) (*Change[User], error) {
	return changed(t, ctx, p, Users, func(w *writer) (*User, error) {
		old, err := w.User(id)
		if err != nil {
			return nil, err
		}
		if old.ID != w.Caller && !w.viewer.Admin {
			return nil, Forbidden.Detailf("Only admins may change other users.")
		}
		u := *old
		for _, f := range []struct {
			name     string
			in       opt.Opt[string]
			to       *string
			required bool
		}{{"name", in.Name, &u.Name, true}, {"displayName", in.DisplayName, &u.DisplayName, true}, {"avatarUrl", in.AvatarURL, &u.AvatarURL, false},
			{"description", in.Description, &u.Description, false}, {"title", in.Title, &u.Title, false}, {"timezone", in.Timezone, &u.Timezone, false},
			{"statusEmoji", in.StatusEmoji, &u.StatusEmoji, false}, {"statusLabel", in.StatusLabel, &u.StatusLabel, false}} {
			*f.to = keep(f.in, *f.to)
			if f.required && f.in.Set {
				if err := required(f.name, *f.to, 255); err != nil {
					return nil, err
				}
			}
			if err := within(f.name, *f.to, 4000); err != nil {
				return nil, err
			}
		}
		u.StatusUntil = keep(in.StatusUntil, u.StatusUntil)
		return saved(w, Users, old, &u)
	})
}
