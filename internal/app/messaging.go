package app

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/messaging/control"
	"understudy/internal/messaging/mcptools"
	"understudy/internal/messaging/webapi"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/messaging/webapi/live"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/mcpkit"
	"understudy/internal/platform/realtime"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// messagingService binds messaging to environments.
type messagingService struct{ a *App }

func (messagingService) Name() string         { return messaging.Name }
func (messagingService) Schema() store.Schema { return messaging.Schema() }

// Entities declares the service's entities for diffs.
func (messagingService) Entities() []diff.Entity { return messaging.Entities() }

func (m messagingService) Open(env *environment.Environment) (environment.Instance, error) {
	var hub *realtime.Hub
	s := messaging.New(env.World, messaging.Deps{Clock: env.Clock, IDs: env.IDs, Secrets: env.Secrets, Auth: env.Auth, Bus: env.Bus,
		Outbox: env.Outbox, Log: env.Log, Exposed: env.Exposed, WorkspaceURL: func(domain string) string { return "https://" + domain + ".understudy.example/" },
		MembersChanged: func(ch messaging.Conversation, user string, in bool) { live.Moved(hub)(ch, user, in) },
		ToUser: func(workspace, user, name string, payload json.RawMessage) {
			live.ToUser(hub)(workspace, user, name, payload)
		}})
	hub = realtime.New(live.Rules(s, env.Auth), env.Bus, env.Log)
	env.Outbox.Deliver(messaging.Name, callback.Deliveries(s))
	data := webapi.NewHandler(s, env.Auth, env.Limiter, env.Log)
	plane := control.NewHandler(control.Deps{Service: s, Auth: env.Auth, Log: env.Log, CheckAdminKey: env.CheckAdminKey,
		BaseURL:   func() string { return m.a.baseURL(env.ID, messaging.Name) },
		BotScopes: webapi.BotScopes, UserScopes: webapi.UserScopes, CredentialsChanged: env.CredentialsChanged, Limiter: env.Limiter, Client: env.Client})
	in := &messagingInstance{env: env, hub: hub,
		data:    m.a.around(env, messaging.Name, data, data, webapi.IsReading),
		control: m.a.around(env, messaging.Name, plane, plane, nil)}
	in.messagingActs = messagingActs{s, mcpkit.InProcess(in)}
	in.tools = m.a.tools(env, messaging.Name, mcptools.Open, data, in)
	return in, nil
}

type messagingInstance struct {
	env                  *environment.Environment
	hub                  *realtime.Hub
	data, control, tools http.Handler
	messagingActs
}

// ServeHTTP serves a request. It neither records nor counts the connections of
// realtime clients.
func (m *messagingInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/socket.io/") {
		m.hub.ServeHTTP(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") && webapi.Method(r.URL.Path) != "" {
		m.data.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == toolsPath {
		m.tools.ServeHTTP(w, r)
		return
	}
	m.control.ServeHTTP(w, r)
}

func (m *messagingInstance) Provision(ctx context.Context) error {
	return m.service.Provision(ctx, webapi.BotScopes, webapi.UserScopes)
}

func (m *messagingInstance) Credentials(ctx context.Context, baseURL string) (any, error) {
	p, err := m.service.Default(ctx)
	if err != nil {
		return nil, err
	}
	if m.env.Fresh { // the fork has new credentials of the other apps too
		if p.Apps, err = m.service.OtherApps(ctx); err != nil {
			return nil, err
		}
	}
	return control.Credentials(baseURL, p, m.service.SeededApp), nil
}

// Connection returns the connection of the official clients and the tools.
func (m *messagingInstance) Connection(ctx context.Context, baseURL string) (environment.Connection, error) {
	p, err := m.service.Default(ctx)
	return environment.Connection{Tools: &environment.ToolServer{URL: baseURL + toolsPath, Token: p.Secrets.BotToken}, Variables: []environment.Variable{
		{Name: "SLACK_BOT_TOKEN", Value: p.Secrets.BotToken}, {Name: "SLACK_USER_TOKEN", Value: p.Secrets.UserToken},
		{Name: "SLACK_SIGNING_SECRET", Value: p.Secrets.SigningSecret}, {Name: "SLACK_API_URL", Value: baseURL + "/api/"}}}, err
}

// Rotate renews the credentials of the default workspace.
func (m *messagingInstance) Rotate(_ context.Context, tx *store.Tx, _ int64) error {
	return m.service.RotateDefault(tx)
}

// RenewInherited renews all tokens and secrets.
func (m *messagingInstance) RenewInherited(_ context.Context, tx *store.Tx, _ *ids.Secrets) error {
	return m.service.RenewInherited(tx)
}

// MakeOwn replaces the tokens of all apps by those of the environment.
func (messagingService) MakeOwn(tx *store.Tx, in environment.Instance, was *ids.Secrets) error {
	return in.(*messagingInstance).service.RewordTokens(tx, was)
}

// OpenFixture creates accounts for the people of a fixture.
func (m *messagingInstance) OpenFixture(_ context.Context, tx *store.Tx) error {
	return m.service.CreateAccounts(tx)
}

// ReadSeed reads messaging's part of a seed document.
func (m *messagingInstance) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) environment.Seed {
	return m.service.ReadSeed(r, part, at)
}

// Index builds the search index.
func (m *messagingInstance) Index(ctx context.Context) error { return m.service.Index(ctx) }

// EndStreams ends the long-lived connections.
func (m *messagingInstance) EndStreams() { m.hub.Close() }

// Streams returns the number of connected clients.
func (m *messagingInstance) Streams() int { return m.hub.Active() }

func (m *messagingInstance) Close() {
	m.hub.Close()
	m.service.Close()
}

// Counts returns the numbers of users, channels and messages.
func (m *messagingInstance) Counts(ctx context.Context) (environment.Counts, error) {
	return m.service.Count(ctx)
}

// Codes returns the codes of the service's errors, sorted.
func (messagingService) Codes() []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(webapi.Codes(), control.Codes()))))
}

// Events returns the types of the events that it delivers.
func (messagingService) Events() []string { return messaging.EventTypes() }

// Operations returns the names of its requests in recordings.
func (messagingService) Operations() []string {
	return slices.Concat(webapi.OperationNames(), control.OperationNames(), mcptools.OperationNames())
}
