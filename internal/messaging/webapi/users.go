package webapi

import (
	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/args"
)

// userObject returns a user as the caller's token may see it.
func (c *call) userObject(u *messaging.User) messaging.UserObject {
	o := u.Object(c.has("users:read.email") || u.ID == c.caller.ID)
	if c.args.Bool("include_locale", false) && !u.Deleted {
		o.Locale = "en-US"
	}
	if !c.caller.IsBot() && (c.caller.IsAdmin || u.ID == c.caller.ID) && !u.IsBot() && !u.Deleted {
		o.Has2FA = new(bool) // nobody has a second factor here
	}
	return o
}

func listUsers(c *call) (*reply, error) {
	after, err := c.cursor("user")
	if err != nil {
		return nil, err
	}
	limit, err := c.pageSize(1000, 1000, false)
	if err != nil {
		return nil, err
	}
	found, more, err := c.service.ListUsers(c.r.Context(), c.caller, after, limit)
	if err != nil {
		return nil, err
	}
	out := make([]messaging.UserObject, len(found))
	for i, u := range found {
		out[i] = c.userObject(u)
	}
	next := ""
	if more {
		next = encodeCursor("user", found[len(found)-1].ID)
	}
	return ok().value("members", out).value("cache_ts", c.service.Clock.Unix()).next(next), nil
}

// maxUsersInfo is the most users that one users.info may name.
const maxUsersInfo = 100

func userInfo(c *call) (*reply, error) {
	ids, many := c.args.List("users")
	if !many || c.text("user") != "" {
		id := c.text("user")
		if id == "" {
			return nil, args.Missing("user")
		}
		u, err := c.service.UserByID(c.r.Context(), c.caller, id)
		if err != nil {
			return nil, err
		}
		return ok().value("user", c.userObject(u)), nil
	}
	if len(ids) > maxUsersInfo {
		return nil, messaging.TooManyUsers
	}
	out := make([]messaging.UserObject, 0, len(ids))
	for _, id := range ids {
		u, err := c.service.UserByID(c.r.Context(), c.caller, id)
		if err != nil {
			return nil, err
		}
		out = append(out, c.userObject(u))
	}
	return ok().value("users", out), nil
}

// profile returns a profile as the caller's token may see it.
func (c *call) profile(u *messaging.User) messaging.Profile {
	p := c.userObject(u).Profile
	p.Team = ""
	if c.args.Bool("include_labels", false) {
		fields := map[string]messaging.ProfileField{}
		for id, f := range p.Fields {
			f.Label = id
			fields[id] = f
		}
		p.Fields = fields
	}
	return p
}

func getProfile(c *call) (*reply, error) {
	id := c.text("user")
	if id == "" {
		id = c.caller.ID
	}
	u, err := c.service.UserByID(c.r.Context(), c.caller, id)
	if err != nil {
		return nil, err
	}
	return ok().value("profile", c.profile(u)), nil
}

func setProfile(c *call) (*reply, error) {
	in := messaging.ProfileChange{User: c.text("user"), Profile: c.raw("profile"), Name: c.text("name"), Value: c.text("value")}
	if c.caller.IsBot() && in.User != "" && in.User != c.caller.ID {
		return nil, messaging.NotAdmin
	}
	u, err := c.service.SetProfile(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	return ok().text("username", u.Name).value("profile", c.profile(u)), nil
}

func setPresence(c *call) (*reply, error) {
	return ok(), c.service.SetPresence(c.r.Context(), c.caller, c.text("presence"))
}
