// Package messaging is a workspace messaging service: workspaces, users,
// channels, direct messages, threads, reactions, search and apps. It contains the
// rules, the tables, and the stored JSON of its objects. HTTP, arguments, formats
// of tokens and envelopes belong to the wire packages below it.
//
// A Service is bound to one environment. Every call names a Caller, who belongs
// to one workspace and can reach nothing outside it.
package messaging

import (
	"embed"
	"encoding/json"
	"io/fs"
	"log/slog"
	"sync"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/background"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// Name is the service's name in credentials, tokens, events and paths.
const Name = "messaging"

//go:embed migrations/*.sql
var migrations embed.FS

// Schema returns the tables of messaging.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	tables := map[string]store.Class{}
	for _, t := range []string{"workspace", "user", "app", "channel", "member", "message", "reaction", "emoji"} {
		tables["msg_"+t] = store.WorldClass
	}
	for _, t := range []string{"", "_state", "_change", "_config", "_data", "_docsize", "_idx"} {
		tables["msg_search"+t] = store.WorldClass
	}
	for _, t := range []string{"subscription", "webhook", "command", "invitation"} {
		tables["msg_"+t] = store.WorldClass
	}
	for _, t := range []string{"response", "ephemeral", "act"} {
		tables["msg_"+t] = store.RuntimeClass
	}
	return store.Schema{Name: Name, Migrations: sub, Tables: tables}
}

// Deps are the dependencies of the service.
type Deps struct {
	Clock   *clock.Clock
	IDs     *ids.Source
	Secrets *ids.Secrets
	Auth    *auth.Auth
	Outbox  *outbox.Outbox
	Bus     *bus.Bus // carries cache invalidations; nil for a single process with one service
	Log     *slog.Logger
	// WorkspaceURL returns the URL of a workspace, ending in "/", for links.
	WorkspaceURL func(domain string) string
	Exposed      bool // clients may be on other machines
	// MembersChanged is called after the commit when a user joins or leaves a
	// conversation. It may be nil.
	MembersChanged func(ch Conversation, user string, in bool)
	// ToUser sends an event to the connected clients of one user. It may be nil.
	ToUser func(workspace, user, name string, payload json.RawMessage)
}

// Service is messaging in one environment.
type Service struct {
	Deps
	world *store.World
	users *cache.Rows[userKey, *User]
	teams *cache.Rows[string, *Workspace]
	pages *pageCache
	index *background.Follower

	members    *cache.Rows[memberKey, bool]
	subscribed *cache.Rows[string, []*Subscription] // by workspace
	health     health

	emoji    *cache.Rows[string, map[string]string] // custom ones, by workspace
	expiry   *statusExpiry
	presence *presence
	waits    waits
	began    sync.Once
}

// cacheSize bounds the entries of each cache of rows.
const cacheSize = 4096

// New binds the service to a world. Close ends it.
func New(w *store.World, d Deps) *Service {
	s := &Service{Deps: d, world: w, pages: newPageCache(),
		users:      cache.NewRows[userKey, *User](d.Bus, "messaging.users", cacheSize),
		teams:      cache.NewRows[string, *Workspace](d.Bus, "messaging.workspaces", cacheSize),
		members:    cache.NewRows[memberKey, bool](d.Bus, "messaging.members", cacheSize),
		subscribed: cache.NewRows[string, []*Subscription](d.Bus, "messaging.subscriptions", cacheSize),
		emoji:      cache.NewRows[string, map[string]string](d.Bus, "messaging.emoji", cacheSize),
	}
	s.index, s.expiry, s.presence = newIndexer(s), newStatusExpiry(s), newPresence(s)
	return s
}

// Close stops the background work.
func (s *Service) Close() {
	s.index.Close()
	s.expiry.worker.Close()
	s.presence.worker.Close()
}
