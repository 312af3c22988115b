// Package tracker contains the rules and tables of the issue tracker:
// organizations, users, teams, workflow states, issues, comments, projects,
// cycles, labels and webhooks. It contains neither HTTP nor GraphQL.
//
// Read passes a View to a function, in which the Kinds (Issues, Teams, …) read
// entities by id, in pages, and for many parents at once. Writes are methods of
// Tracker. Each write is one transaction, which validates the input, changes rows,
// increments the sync id of the organization and appends events.
package tracker

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/search"
)

// Service is the name of this service in tokens and events.
const Service = "tracker"

//go:embed migrations/*.sql
var migrations embed.FS

// Schema declares the tables of the tracker in each world.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	tables := map[string]store.Class{}
	for _, t := range []string{"organization", "sync", "user", "team", "team_key", "team_counter", "member", "state", "label",
		"issue", "issue_alias", "issue_label", "issue_subscriber", "comment", "project_status", "project", "project_team",
		"project_member", "cycle", "cycle_tally", "cycle_uncompleted", "webhook", "invite"} {
		tables["tracker_"+t] = store.WorldClass
	}
	for _, t := range []string{"", "_document", "_change", "_word", "_config", "_data", "_docsize", "_idx"} {
		tables["tracker_search"+t] = store.WorldClass
	}
	return store.Schema{Name: "tracker", Migrations: sub, Tables: tables}
}

// Deps are the dependencies of the tracker.
type Deps struct {
	Clock   *clock.Clock
	IDs     *ids.Source
	Outbox  *outbox.Outbox
	Auth    *auth.Auth
	Box     *ids.Box // encrypts the secrets of webhooks
	Exposed bool     // clients may come from other machines
	Log     *slog.Logger
	// BaseURL returns the URL of the service, the prefix of links to entities.
	BaseURL func() string
}

// Tracker is the service in one world. It is safe for concurrent use.
type Tracker struct {
	Deps
	world   *store.World
	caches  *caches
	healthy *cache.Rows[string, struct{}] // webhooks, by id

	automation *automation
	search     *search.Index
}

// New returns the service for a world.
func New(w *store.World, d Deps) *Tracker {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	t := &Tracker{Deps: d, world: w, caches: newCaches(), healthy: cache.NewRows[string, struct{}](nil, "", maxHealthy)}
	t.automation, t.search = newAutomation(t), search.New(w, d.Log)
	return t
}

// View is what one caller can see at one time. It is not safe for concurrent use,
// and valid only until the function that received it returns.
type View struct {
	entity.Scope
	t       *Tracker
	url     string // of the organization's entities
	viewer  *User
	private []string // the unseen teams: those that the viewer may not see
	looked  bool
	failure error // from reading the unseen teams: the view is then empty, and ends with it
}

var _ entity.Viewer = (*View)(nil)

// scope returns the scope of a caller's reads at a sync id. The sync id is 0 in a
// write.
func (t *Tracker) scope(tx *store.Tx, org, user string, sync int64) entity.Scope {
	return entity.Scope{Tx: tx, Tenant: org, Caller: user, Now: t.Clock.Now(), Version: sync, Caches: t.caches.entities}
}

// view returns a view of a caller at a sync id. It returns NoOrganization, or
// auth.Invalid when the caller is no longer an active user of the organization.
func (t *Tracker) view(tx *store.Tx, p *auth.Principal, sync int64) (*View, error) {
	if p.Tenant == "" {
		return nil, NoOrganization
	}
	v := &View{Scope: t.scope(tx, p.Tenant, p.Subject, sync), t: t}
	key := caller{p.Tenant, p.Subject}
	if x, ok := t.caches.viewer(key, sync); ok && sync != 0 {
		v.url, v.viewer, v.private, v.looked = x.url, x.user, x.hidden, true
		return v, nil
	}
	var url string
	found, err := getURLKey(tx, p.Tenant, &url)
	if err != nil {
		return nil, err
	}
	if v.viewer, err = Users.Find(v, p.Subject); err != nil {
		return nil, err
	}
	if !found || v.viewer == nil || !v.viewer.Active {
		return nil, auth.Invalid
	}
	v.url = t.BaseURL() + "/" + url
	if sync != 0 {
		if v.private, err = hiddenTeams(v); err != nil {
			return nil, err
		}
		v.looked = true
		t.caches.setViewer(key, viewer{sync, v.url, v.viewer, v.private})
	}
	return v, nil
}

// Authenticate returns the caller with a key or an access token. It returns the
// errors of auth.Resolve.
func (t *Tracker) Authenticate(ctx context.Context, credential string) (*auth.Principal, error) {
	return t.Auth.Resolve(ctx, Service, credential)
}

// Read calls fn with the caller's view. It returns NoOrganization or auth.Invalid
// without calling it.
func (t *Tracker) Read(ctx context.Context, p *auth.Principal, fn func(*View) error) error {
	t.catchUp(ctx, p.Tenant)
	return t.readNow(ctx, p, fn)
}

// catchUp applies what is due in an organization before a read. It logs an error, and
// the read then sees the stored state.
func (t *Tracker) catchUp(ctx context.Context, org string) {
	if err := t.automation.upToDate(ctx, org); err != nil && ctx.Err() == nil {
		t.Log.Error("the automatic settings of teams could not be applied", "service", Service, "error", err)
	}
}

func (t *Tracker) readNow(ctx context.Context, p *auth.Principal, fn func(*View) error) error {
	return t.world.Read(ctx, func(tx *store.Tx) error {
		sync, err := lastSync(tx, p.Tenant)
		if err != nil {
			return err
		}
		t.caches.syncs.seen(p.Tenant, sync)
		v, err := t.view(tx, p, sync)
		if err != nil {
			return err
		}
		return v.end(fn(v))
	})
}

// errMoved is returned when an organization has changed since a view of it began.
var errMoved = errors.New("the organization has changed")

// ReadIfChanged is Read for an fn that may run twice. It calls fn at the newest
// known sync id, and opens a transaction only when fn reads the database. If the
// organization has changed by then, it discards the first run and calls fn again.
func (t *Tracker) ReadIfChanged(ctx context.Context, p *auth.Principal, fn func(*View) error) error {
	t.catchUp(ctx, p.Tenant)
	known := t.caches.syncs.of(p.Tenant)
	if known == 0 {
		return t.readNow(ctx, p, fn)
	}
	moved := false
	err := t.world.ReadDeferred(ctx, func(tx *store.Tx) error {
		sync, err := lastSync(tx, p.Tenant)
		if moved = err == nil && sync != known; moved {
			return errMoved
		}
		return err
	}, func(tx *store.Tx) error {
		v, err := t.view(tx, p, known)
		if err != nil {
			return err
		}
		return v.end(fn(v))
	})
	if moved {
		return t.readNow(ctx, p, fn)
	}
	return err
}

// Viewer returns the caller.
func (v *View) Viewer() *User { return v.viewer }

// Restricted reports whether there are teams whose content the viewer may not see.
func (v *View) Restricted() bool {
	hidden, known := v.unseen()
	return len(hidden) > 0 || !known
}

// end returns v.failure if it is set, and err, the error of the view's work,
// otherwise. v.failure comes first because without the unseen teams a NotFound may be
// wrong.
func (v *View) end(err error) error {
	if v.failure != nil {
		return v.failure
	}
	return err
}

// unseen returns the teams whose content the viewer may not see: deleted teams,
// and private ones of which the viewer is not a member. known is false if they could
// not be read: then nothing may be shown.
func (v *View) unseen() (ids []string, known bool) {
	if !v.looked {
		v.looked = true
		v.private, v.failure = hiddenTeams(v)
	}
	return v.private, v.failure == nil
}

// nothing is a condition that excludes all rows.
const nothing = "1 = 0"

// hideBy returns a function for the condition that excludes the rows of unseen teams.
// column is the expression of the team's id.
func hideBy(column string) func(*View) (string, []any) {
	return func(v *View) (string, []any) {
		hidden, known := v.unseen()
		if !known {
			return nothing, nil
		}
		if len(hidden) == 0 {
			return "", nil
		}
		args := entity.Padded(hidden)
		return column + " NOT IN " + store.In(len(args)), args
	}
}

// Change is the outcome of a write. The entity has its new state, and is nil if it was
// deleted.
type Change[T any] struct {
	Entity     *T
	EntityID   string
	LastSyncID int64
}

// writer is the View of a write.
type writer struct {
	*View
	ctx       context.Context
	syncID    int64
	due       int64 // the earliest time at which something becomes due because of the write
	changes   int   // rows created or changed, each with an event
	reindexed int   // issues whose words may have changed
	automatic bool  // no user asked for it

	closing string // the cycle that is being closed; its history no longer changes
}

// write calls fn in a transaction that locks the organization.
func (t *Tracker) write(ctx context.Context, p *auth.Principal, fn func(w *writer) error) (syncID int64, err error) {
	if err := t.automation.upToDate(ctx, p.Tenant); err != nil {
		return 0, err
	}
	reindexed := 0
	err = t.world.Write(ctx, func(tx *store.Tx) error {
		n, err := t.nextSync(tx, p.Tenant)
		if err != nil {
			return err
		}
		v, err := t.view(tx, p, 0)
		if err != nil {
			return err
		}
		v.RememberRows()
		syncID = n
		w := &writer{View: v, ctx: ctx, syncID: n, due: never}
		err = v.end(fn(w))
		reindexed = w.reindexed
		tx.AfterCommit(func() {
			if t.automation.dues.carry(p.Tenant, n, w.due) && w.due != never {
				t.automation.wake()
			}
		})
		return err
	})
	if err == nil {
		t.search.Wrote(ctx, reindexed)
	}
	return syncID, err
}

// reindex marks the words of an issue as changed. moved has the meaning that it has in
// search.Index.Changed.
func (w *writer) reindex(issue string, moved bool) error {
	w.reindexed++
	return w.t.search.Changed(w.Tx, w.Tenant, issue, moved)
}

// changed runs a write that creates or changes one entity, and returns the change.
func changed[T any](t *Tracker, ctx context.Context, p *auth.Principal, k *Kind[T], fn func(w *writer) (*T, error)) (*Change[T], error) {
	c := &Change[T]{}
	n, err := t.write(ctx, p, func(w *writer) (err error) {
		if c.Entity, err = fn(w); err != nil || c.Entity == nil {
			return err
		}
		c.EntityID = k.Header(c.Entity).ID
		if k.Complete != nil {
			return k.Complete(w.View, []*T{c.Entity})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.LastSyncID = n
	return c, nil
}

// fresh returns the Base of a new entity with an id.
func (w *writer) fresh(id string) entity.Base {
	return entity.Base{Org: w.Tenant, ID: id, Created: w.Micros(), Updated: w.Micros(), Version: w.syncID}
}

// newID returns the id of a new entity: asked in lower case, or a generated id if
// asked is "". It returns BadArgument unless asked is a UUID of version 4.
func (w *writer) newID(asked string) (string, error) {
	if asked == "" {
		return w.t.IDs.UUID(), nil
	}
	if !ids.IsUUID(asked) || asked[14] != '4' {
		return "", badArgument("id", "id must be a UUID.")
	}
	return lower(asked), nil
}

// admin returns Forbidden unless the caller is an admin.
func (v *View) admin() error {
	if !v.viewer.Admin {
		return Forbidden.Detailf("Only admins may do this.")
	}
	return nil
}
