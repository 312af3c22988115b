package app

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/realtime"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
	"understudy/internal/tracker"
	"understudy/internal/tracker/graph"
	"understudy/internal/tracker/mcptools"
	"understudy/internal/tracker/push"
	"understudy/internal/tracker/rest"
	"understudy/internal/webui"
)

// trackerService binds the issue tracker to environments.
type trackerService struct{ a *App }

func (trackerService) Name() string         { return tracker.Service }
func (trackerService) Schema() store.Schema { return tracker.Schema() }

// Entities declares the service's entities for diffs.
func (trackerService) Entities() []diff.Entity { return tracker.Entities() }

func (s trackerService) Open(env *environment.Environment) (environment.Instance, error) {
	t := tracker.New(env.World, tracker.Deps{Clock: env.Clock, IDs: env.IDs, Outbox: env.Outbox, Auth: env.Auth, Box: env.Box, Exposed: env.Exposed, Log: env.Log,
		BaseURL: func() string { return s.a.baseURL(env.ID, tracker.Service) }})
	data := graph.NewHandler(graph.Deps{Tracker: t, Limiter: env.Limiter, Log: env.Log})
	env.Outbox.Deliver(tracker.Service, push.Deliveries(t, env.Log))
	hub := realtime.New(push.Rules(t), env.Bus, env.Log)
	plane := rest.NewHandler(rest.Deps{Tracker: t, Log: env.Log})
	in := &trackerInstance{trackerWork: trackerWork{t}, env: env, hub: hub, page: s.a.graphqlPage, data: s.a.around(env, tracker.Service, data, data, data.IsReading),
		control: s.a.around(env, tracker.Service, plane, plane, nil)}
	in.tools = s.a.tools(env, tracker.Service, mcptools.Open, data, in)
	return in, nil
}

// trackerWork is the work of the tracker that no request of a client causes.
type trackerWork struct{ tracker *tracker.Tracker }

// ClockMoved applies what is due at the clock's new time.
func (w trackerWork) ClockMoved(ctx context.Context) error { return w.tracker.ClockMoved(ctx) }

// Flush applies what is due, so that copies and diffs do not depend on earlier
// reads.
func (w trackerWork) Flush(ctx context.Context) error { return w.tracker.Flush(ctx) }

// Index updates the index of words, so that the copy for a reset contains it.
func (w trackerWork) Index(ctx context.Context) error { return w.tracker.IndexIssues(ctx) }

type trackerInstance struct {
	trackerWork
	env                  *environment.Environment
	hub                  *realtime.Hub
	page                 *webui.Console // the page for browsers at the endpoint; nil in a build without pages
	data, control, tools http.Handler
}

// SealSecrets encrypts the secrets of webhooks of an earlier version.
func (i *trackerInstance) SealSecrets(ctx context.Context) error { return i.tracker.SealSecrets(ctx) }

func (i *trackerInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/socket.io/") {
		i.hub.ServeHTTP(w, r)
		return
	}
	if i.page.Wants(r) {
		i.page.ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case graphqlPath, graph.SchemaPath:
		i.data.ServeHTTP(w, r)
	case toolsPath:
		i.tools.ServeHTTP(w, r)
	default:
		i.control.ServeHTTP(w, r)
	}
}

// The initial content of a tracker's world. Ids and secrets are derived, so that
// credentials can be shown again.
const (
	trackerEmail  = "admin@tracker.understudy.test"
	trackerURLKey = "understudy"
)

func (i *trackerInstance) derivedID(what string) string {
	raw := i.env.Secrets.UUID("tracker/" + what)
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x0f|0xa0 // version 4, and an arbitrary but fixed variant
	return ids.FormatUUID(raw)
}

// trackerKey returns the first API key after n rotations.
func trackerKey(secrets *ids.Secrets, n int64) string {
	return "trk_api_" + secrets.Text(environment.Rotated("tracker/key", n), ids.Alnum, 40)
}

func (i *trackerInstance) Provision(ctx context.Context) error {
	return i.tracker.Provision(ctx, tracker.Provision{Key: trackerKey(i.env.Secrets, 0), PasswordHash: auth.DerivedPassword("tracker/admin"),
		Organization: tracker.CreateOrganization{Name: "Understudy", URLKey: trackerURLKey, OrganizationID: i.derivedID("organization"),
			UserID: i.derivedID("user"), Account: auth.Account{Email: trackerEmail, Name: "Ada Admin"}}})
}

func (i *trackerInstance) Credentials(ctx context.Context, baseURL string) (any, error) {
	c := map[string]any{
		"base_url": baseURL, "organization_id": i.derivedID("organization"), "url_key": trackerURLKey, "user_id": i.derivedID("user"),
		"user_email": trackerEmail, "api_key": trackerKey(i.env.Secrets, i.env.Rotation()),
	}
	return c, i.env.World.Read(ctx, func(tx *store.Tx) (err error) {
		c["user_password"], err = i.env.Auth.KnownPassword(tx, tracker.Service, trackerEmail)
		return err
	})
}

// Rotate renews the first API key and the first user's password.
func (i *trackerInstance) Rotate(_ context.Context, tx *store.Tx, n int64) error {
	if err := i.env.Auth.ResetPassword(tx, tracker.Service, trackerEmail, i.env.PasswordPurpose("tracker/admin", n)); err != nil {
		return err
	}
	return i.env.Auth.Renew(tx, tracker.Service, trackerKey(i.env.Secrets, i.env.Rotation()), trackerKey(i.env.Secrets, n))
}

// Connection returns the connection of the official client and the tools.
func (i *trackerInstance) Connection(_ context.Context, baseURL string) (environment.Connection, error) {
	key := trackerKey(i.env.Secrets, i.env.Rotation())
	return environment.Connection{Tools: &environment.ToolServer{URL: baseURL + toolsPath, Token: key}, Variables: []environment.Variable{
		{Name: "LINEAR_API_KEY", Value: key}, {Name: "LINEAR_API_URL", Value: baseURL + "/graphql"}}}, nil
}

// RenewInherited renews the first API key, and the secrets of webhooks and
// invitations.
func (i *trackerInstance) RenewInherited(_ context.Context, tx *store.Tx, was *ids.Secrets) error {
	n := i.env.Rotation()
	if err := i.env.Auth.Renew(tx, tracker.Service, trackerKey(was, n), trackerKey(i.env.Secrets, n)); err != nil {
		return err
	}
	return i.tracker.RenewInherited(tx, i.env.Secrets)
}

// MakeOwn replaces the first API key by that of the environment.
func (trackerService) MakeOwn(tx *store.Tx, in environment.Instance, was *ids.Secrets) error {
	i := in.(*trackerInstance)
	n := i.env.Rotation()
	return i.env.Auth.Reword(tx, tracker.Service, trackerKey(was, n), trackerKey(i.env.Secrets, n))
}

// OpenFixture creates accounts for the people of a fixture.
func (i *trackerInstance) OpenFixture(_ context.Context, tx *store.Tx) error {
	return i.tracker.CreateAccounts(tx)
}

// ReadSeed reads the tracker's part of a seed document.
func (i *trackerInstance) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) environment.Seed {
	return i.tracker.ReadSeed(i.derivedID("organization"), i.derivedID("user"), r, part, at)
}

// EndStreams ends the connections of clients.
func (i *trackerInstance) EndStreams() { i.hub.Close() }

// Streams returns the number of connected clients.
func (i *trackerInstance) Streams() int { return i.hub.Active() }

// Close ends the remaining connections and the background work.
func (i *trackerInstance) Close() {
	i.hub.Close()
	i.tracker.Close()
}

// Counts returns the numbers of users, teams, projects, issues and comments.
func (i *trackerInstance) Counts(ctx context.Context) (environment.Counts, error) {
	return i.tracker.Count(ctx)
}

// Codes returns the codes of the service's errors, sorted.
func (trackerService) Codes() []string { return graph.Codes() }

// Events returns the types of the events that it delivers.
func (trackerService) Events() []string { return tracker.DeliveredEvents() }

// Operations returns the names of its requests in recordings.
func (trackerService) Operations() []string {
	return slices.Concat(graph.OperationNames(), rest.OperationNames(), mcptools.OperationNames())
}
