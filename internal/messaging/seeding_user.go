package messaging

import (
	"encoding/json"
	"strings"

	"understudy/internal/messaging/seed"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/seeddoc"
)

func (w *seeder) seedUsers() error {
	for i := range w.doc.Users {
		e := &w.doc.Users[i]
		u, err := w.seedUser(e.Name, &e.Value)
		if err != nil {
			return err
		}
		w.users[e.Name] = u
		w.made.Users[e.Name] = SeededUser{u.ID, u.Name, u.Email}
	}
	return nil
}

func (w *seeder) seedUser(name string, in *seed.User) (*User, error) {
	email, err := auth.NormalEmail(in.Email)
	if err != nil {
		return nil, in.In("email").Blame(err)
	}
	for _, u := range w.everyone {
		switch {
		case strings.EqualFold(u.Email, email) && w.named(u):
			return nil, in.In("email").Refuse("another user of the document has this address")
		case strings.EqualFold(u.Email, email) && in.ID != "" && in.ID != u.ID:
			return nil, in.In("id").Refuse("the user with this address has the id %s", u.ID)
		case strings.EqualFold(u.Email, email):
			return u, nil
		case u.ID == in.ID:
			return nil, in.In("id").Refuse("another user has this id")
		case in.Handle != "" && u.Name == in.Handle:
			return nil, in.In("handle").Refuse("another user has this handle")
		}
	}
	if in.ID != "" && !userID.MatchString(in.ID) {
		return nil, in.In("id").Refuse("must be U and 8 or more of A-Z and 0-9")
	}
	if in.Handle != "" && in.Handle != handleOf(in.Handle) {
		return nil, in.In("handle").Refuse("must have 1 to 21 of small letters, digits, -, _ and .")
	}
	if in.Name == "" {
		in.Name = name
	}
	if err := checkName(in.Name, ""); err != nil {
		return nil, in.In("name").Blame(err)
	}
	u, err := w.s.addUser(w.tx, w.owner.Workspace, NewUser{ID: in.ID, Email: email, RealName: in.Name, Handle: in.Handle,
		IsAdmin: in.Admin, Created: in.Created.Or(w.now)})
	if err != nil {
		return nil, in.Blame(err)
	}
	if err := w.setValues(u, in); err != nil {
		return nil, err
	}
	if !u.Deleted {
		id, err := generalChannel(w.tx, u.Workspace)
		if err != nil {
			return nil, err
		}
		general, err := getChannel(w.tx, u.Workspace, id)
		if err != nil {
			return nil, err
		}
		if general != nil {
			if err := w.s.enter(w.tx, general, u.ID, u.Created); err != nil {
				return nil, err
			}
		}
	}
	w.everyone = append(w.everyone, u)
	return u, nil
}

// named reports whether the document has already named a user.
func (w *seeder) named(u *User) bool {
	for _, o := range w.users {
		if o.ID == u.ID {
			return true
		}
	}
	return false
}

// setValues sets the values that a new user does not have from the start.
func (w *seeder) setValues(u *User, in *seed.User) error {
	profile := map[string]json.RawMessage{}
	for name, text := range map[string]string{"display_name": in.DisplayName, "title": in.Title, "phone": in.Phone,
		"status_text": in.StatusText, "status_emoji": in.StatusEmoji} {
		if text != "" {
			value, err := marshal(text)
			if err != nil {
				return err
			}
			profile[name] = value
		}
	}
	if len(profile) == 0 && in.Presence == "" && !in.Deleted {
		return nil
	}
	if _, err := u.Profile.apply(profile, true); err != nil {
		return in.Blame(err)
	}
	if in.Presence != "" {
		u.Presence = in.Presence
	}
	u.Deleted = in.Deleted
	return updateUser(w.tx, u)
}

// user resolves a reference to a user: by the document's name, by id, handle or
// e-mail address.
func (w *seeder) user(ref seeddoc.Ref) (*User, error) {
	if u := w.users[ref.Name]; u != nil {
		return u, nil
	}
	for _, u := range w.everyone {
		if u.ID == ref.Name || u.Name == ref.Name || u.Email != "" && strings.EqualFold(u.Email, ref.Name) {
			return u, nil
		}
	}
	return nil, ref.Refuse("there is no user %q in the document or the workspace", ref.Name)
}
