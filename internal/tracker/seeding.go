package tracker

import (
	"context"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/seed"
)

// Seeding applies a seed document to an organization.
type Seeding struct {
	t   *Tracker
	p   *auth.Principal // the organization's owner
	doc seed.Document
	now int64
}

// ReadSeed reads the tracker's part of a seed document for the organization of a
// user, who is the default owner. It reports problems to r.
func (t *Tracker) ReadSeed(org, user string, r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) *Seeding {
	g := &Seeding{t: t, p: &auth.Principal{Service: Service, Tenant: org, Subject: user}, now: r.Now.UnixMicro()}
	r.Read(part, at, &g.doc)
	keys := map[string]bool{}
	for i := range g.doc.Comments {
		c := &g.doc.Comments[i]
		if c.Key != "" && keys[c.Key] {
			r.Refuse(c.In("key"), "another comment has this key")
		}
		keys[c.Key] = true
	}
	return g
}

// Seeded is what a seed document created in the tracker, by the document's own
// names.
type Seeded struct {
	Users    map[string]SeededEntity `json:"users"`
	Teams    map[string]SeededTeam   `json:"teams"`
	Labels   map[string]SeededEntity `json:"labels"`
	Projects map[string]SeededEntity `json:"projects"`
	Cycles   map[string]SeededEntity `json:"cycles"`
	Issues   map[string]SeededIssue  `json:"issues"`
	Comments map[string]SeededEntity `json:"comments"` // those with a key
	Webhooks map[string]SeededHook   `json:"webhooks"`
	APIKeys  map[string]SeededKey    `json:"api_keys"`
}

// SeededHook is a webhook that a document names.
type SeededHook struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"` // only if generated
}

// SeededKey is an API key that a document names.
type SeededKey struct {
	ID  string `json:"id"`
	Key string `json:"key,omitempty"` // only if generated
}

// SeededEntity is something that a document names.
type SeededEntity struct {
	ID string `json:"id"`
}

// SeededTeam is a team that a document names.
type SeededTeam struct {
	ID     string            `json:"id"`
	Key    string            `json:"key"`
	States map[string]string `json:"states"` // ids by name, and by the document's own names
}

// SeededIssue is an issue that a document names.
type SeededIssue struct {
	ID         string `json:"id"`
	Identifier string `json:"identifier"`
}

// seeder applies a document in one attempt of a transaction.
type seeder struct {
	g *Seeding
	*writer
	people []*User
	users  map[string]*User
	teams  map[string]*seededTeam // by the document's names
	labels map[string]string      // ids
	made   Seeded
}

// Apply creates the content of the document. It appends no events when ctx is
// quiet. It returns seeddoc.Invalid with the invalid place.
func (g *Seeding) Apply(ctx context.Context, tx *store.Tx) (any, error) {
	n, err := g.t.nextSync(tx, g.p.Tenant)
	if err != nil {
		return nil, err
	}
	v, err := g.t.view(tx, g.p, 0)
	if err != nil {
		return nil, g.doc.Blame(err)
	}
	v.RememberRows()
	v.Now = time.UnixMicro(g.now)
	w := &seeder{g: g, writer: &writer{View: v, ctx: ctx, syncID: n}, users: map[string]*User{}, teams: map[string]*seededTeam{},
		labels: map[string]string{}, made: Seeded{map[string]SeededEntity{}, map[string]SeededTeam{}, map[string]SeededEntity{},
			map[string]SeededEntity{}, map[string]SeededEntity{}, map[string]SeededIssue{}, map[string]SeededEntity{}, map[string]SeededHook{}, map[string]SeededKey{}}}
	if w.people, err = Users.Where(v, "t.archived = 0"); err != nil {
		return nil, err
	}
	for _, step := range []func() error{w.seedUsers, w.seedTeams, w.seedLabels, w.seedProjects, w.seedCycles, w.seedIssues, w.seedComments,
		w.seedWebhooks, w.seedAPIKeys} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w.made, makeAllDue(tx, w.Tenant)
}

// as returns a writer that acts as another user, at a time.
func (w *seeder) as(u *User, at int64) *writer {
	v := *w.View
	if v.viewer = u; v.Caller != u.ID {
		v.Caller, v.private, v.looked = u.ID, nil, false
	}
	v.Now = time.UnixMicro(at)
	return &writer{View: &v, ctx: w.ctx, syncID: w.syncID}
}

// past returns Invalid for a time after the environment's clock.
func (w *seeder) past(t seeddoc.Time) error {
	if t.Micros > w.g.now {
		return t.Refuse("must not be later than the environment's clock")
	}
	return nil
}

func (w *seeder) seedUsers() error {
	for i := range w.g.doc.Users {
		name, in := w.g.doc.Users[i].Name, &w.g.doc.Users[i].Value
		u, err := w.seedUser(name, in)
		if err != nil {
			return err
		}
		w.users[name] = u
		w.made.Users[name] = SeededEntity{u.ID}
	}
	return nil
}

func (w *seeder) seedUser(name string, in *seed.User) (*User, error) {
	email, err := auth.NormalEmail(in.Email)
	if err != nil {
		return nil, in.In("email").Blame(err)
	}
	for _, u := range w.users {
		if u.Email == email {
			return nil, in.In("email").Refuse("another user of the document has this address")
		}
	}
	for _, u := range w.people {
		if strings.EqualFold(u.Email, email) {
			return u, nil
		}
	}
	if in.Name == "" {
		in.Name = name
	}
	for field, text := range map[string]string{"name": in.Name, "display_name": in.DisplayName, "title": in.Title} {
		if err := within(field, text, 255); err != nil {
			return nil, in.In(field).Blame(err)
		}
	}
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, in.In("id").Blame(err)
	}
	u := w.g.t.newUser(w.Tenant, id, auth.Account{Email: email, Name: in.Name})
	u.Base = w.as(w.viewer, in.Created.Or(w.g.now)).fresh(id)
	if in.DisplayName != "" {
		u.DisplayName = in.DisplayName
	}
	u.Title, u.Admin, u.Guest, u.Active = in.Title, in.Admin, in.Guest, !in.Inactive
	if err := Users.Insert(w.Tx, u); err != nil {
		return nil, in.In("id").Blame(err)
	}
	w.people = append(w.people, u)
	return u, nil
}

// user returns the user that a reference names: by the document's name, by id,
// display name or e-mail address. Without a name it returns the organization's
// owner.
func (w *seeder) user(ref seeddoc.Ref) (*User, error) {
	if ref.Name == "" {
		return w.viewer, nil
	}
	if u := w.users[ref.Name]; u != nil {
		return u, nil
	}
	for _, u := range w.people {
		if u.ID == lower(ref.Name) || u.DisplayName == ref.Name || strings.EqualFold(u.Email, ref.Name) {
			return u, nil
		}
	}
	return nil, ref.Refuse("there is no user %q in the document or the organization", ref.Name)
}

// userIDs finds the users of a list.
func (w *seeder) userIDs(refs []seeddoc.Ref) ([]string, error) {
	var ids []string
	for _, ref := range refs {
		u, err := w.user(ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, u.ID)
	}
	return ids, nil
}
