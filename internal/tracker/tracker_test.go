package tracker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// office is an organization with an owner, in a world of its own.
type office struct {
	*testing.T
	t     *Tracker
	world *store.World
	clock *clock.Clock
	p     *auth.Principal
	org   *Organization
}

// both runs a test on each database.
func both(t *testing.T, test func(o *office)) {
	t.Helper()
	storetest.Run(t, []store.Schema{auth.Schema(), outbox.Schema(), Schema()}, func(t *testing.T, w *store.World) {
		c := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		source, b := ids.Seeded(7, 0), &bus.Bus{}
		tr := New(w, Deps{Clock: c, IDs: source, Box: ids.NewBox(nil, "test"), Outbox: outbox.New(outbox.Deps{World: w, Clock: c, Bus: b, Log: slog.New(slog.DiscardHandler)}),
			Auth:    auth.New(w, c, source, b, ids.NewSecrets([]byte("k"), "l")),
			BaseURL: func() string { return "http://tracker" }})
		o := &office{T: t, t: tr, world: w, clock: c}
		o.org, o.p = o.organization("acme", "ann@acme.test")
		test(o)
	})
}

func (o *office) organization(key, email string) (org *Organization, p *auth.Principal) {
	o.Helper()
	err := o.world.Write(context.Background(), func(tx *store.Tx) (err error) {
		var u *User
		org, u, err = o.t.CreateOrganization(tx, CreateOrganization{Name: key, URLKey: key, Account: auth.Account{ID: o.t.IDs.UUID(), Email: email, Name: "Ann Lee"}})
		if err == nil {
			p = &auth.Principal{Service: Service, Tenant: org.ID, Subject: u.ID}
		}
		return err
	})
	o.must(err)
	return org, p
}

// member adds a user without a role.
func (o *office) member(email string) *auth.Principal { return o.colleague(email, false) }

// admin adds a user who is an admin.
func (o *office) admin(email string) *auth.Principal { return o.colleague(email, true) }

func (o *office) colleague(email string, admin bool) *auth.Principal {
	o.Helper()
	p := &auth.Principal{Service: Service, Tenant: o.org.ID, Subject: o.t.IDs.UUID()}
	o.must(o.world.Write(context.Background(), func(tx *store.Tx) error {
		u := o.t.newUser(o.org.ID, p.Subject, auth.Account{ID: o.t.IDs.UUID(), Email: email, Name: email})
		u.Admin = admin
		return Users.Insert(tx, u)
	}))
	return p
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) refused(err error, want error) {
	o.Helper()
	if err == nil || !errorsIs(err, want) {
		o.Fatalf("got %v, want %v", err, want)
	}
}

func (o *office) team(key string) *Team {
	o.Helper()
	c, err := o.t.CreateTeam(context.Background(), o.p, CreateTeam{Name: opt.Some("Team " + key), Key: opt.Some(key)})
	o.must(err)
	return c.Entity
}

// issue creates an issue, one second after the last one.
func (o *office) issue(team *Team, title string, change ...func(*WriteIssue)) *Issue {
	o.Helper()
	o.clock.Advance(time.Second)
	in := WriteIssue{Team: opt.Some(team.ID), Title: opt.Some(title)}
	for _, f := range change {
		f(&in)
	}
	c, err := o.t.CreateIssue(context.Background(), o.p, in)
	o.must(err)
	return c.Entity
}

func (o *office) update(i *Issue, in WriteIssue) *Issue {
	o.Helper()
	o.clock.Advance(time.Second)
	c, err := o.t.UpdateIssue(context.Background(), o.p, i.ID, in)
	o.must(err)
	return c.Entity
}

func (o *office) read(fn func(v *View)) {
	o.Helper()
	o.must(o.t.Read(context.Background(), o.p, func(v *View) error {
		fn(v)
		return nil
	}))
}

func (o *office) state(team *Team, kind string) *WorkflowState {
	o.Helper()
	var s *WorkflowState
	o.read(func(v *View) {
		var err error
		s, err = v.firstState(team.ID, kind)
		o.must(err)
	})
	return s
}

// events returns the newest events of the outbox, oldest first.
func (o *office) events(n int) (out []outbox.Event) {
	o.Helper()
	o.must(o.world.Read(context.Background(), func(tx *store.Tx) (err error) {
		out, err = o.t.Outbox.Recent(tx, n)
		return err
	}))
	return out
}
