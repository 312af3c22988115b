// Package app is the composition root: it builds the program from its options.
// Only the commands and tests import it.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"understudy/internal/console"
	"understudy/internal/platform/config"
	"understudy/internal/platform/edge"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/provision"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/program"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/system"
	"understudy/internal/webui"
)

// App is the running program.
type App struct {
	o       config.Serve
	log     *slog.Logger
	store   store.Store
	lock    *os.File
	admin   *adminKey
	program *program.Program
	envs    *lifecycle.Environments
	seeder  *provision.Provisioner
	servers []*server
	metrics *metrics
	clones  *clone.Cloner
	console *console.Console
	ui      http.Handler // nil without the web UI
	// graphqlPage is the page for browsers at the tracker's endpoint; nil in a build
	// without pages.
	graphqlPage *webui.Console

	conns       edge.Connections
	certificate *edge.Certificate // nil without TLS
	draining    atomic.Bool       // the program is ending

	credentialsFile sync.Mutex
}

// New opens the store, prepares the default environment and binds the addresses.
// Its errors are one line each, for people.
func New(ctx context.Context, o config.Serve, log *slog.Logger) (_ *App, err error) {
	a := &App{o: o, log: log, metrics: newMetrics()}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, err
	}
	if err := a.lockData(); err != nil {
		return nil, err
	}
	key, err := loadKey(o, log)
	if err != nil {
		return nil, err
	}
	defer func() {
		if key.isNew && errors.Is(err, catalogue.ErrWrongKey) {
			_ = os.Remove(key.path) // nothing is derived from it yet
		}
	}()
	a.admin = newAdminKey(key.key)
	if err := a.listen(); err != nil {
		return nil, err
	}
	if a.store, err = openStore(ctx, o.Database, filepath.Join(o.Data, "worlds")); err != nil {
		return nil, fmt.Errorf("cannot open the store: %w", err)
	}
	if a.program, err = program.Open(ctx, a.store, log); err != nil {
		return nil, fmt.Errorf("cannot open the program's database: %w", err)
	}
	state, err := a.program.Key(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the program's database: %w", err)
	}
	a.admin.set(state)
	a.envs, err = lifecycle.New(ctx, a.store, &environment.Platform{
		Services: a.services(), RootKey: key.key, Log: log, Client: outbound.New(o.PrivateWebhooks()),
		CheckAdminKey: a.admin.check, CredentialsChanged: a.credentialsChanged, EndClients: a.endClients, Exposed: !o.Loopback(),
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open the catalogue: %w", err)
	}
	if err := a.envs.Catalogue.CheckKey(ctx, key.fingerprint(), key.isNew); err != nil {
		return nil, err
	}
	a.seeder = provision.New(a.envs, fixture)
	a.clones = clone.New(a.envs)
	active := map[string]environment.Active{}
	for _, s := range a.services() {
		if x, ok := s.(environment.Active); ok {
			active[s.Name()] = x
		}
	}
	a.console = console.New(console.Deps{Active: active, Environments: a.envs, Clones: a.clones, Provisioner: a.seeder,
		CheckAdminKey: a.admin.check, RotateKey: a.rotateKey, Credentials: a.credentials, BaseURL: a.baseURL, SeedSchema: SeedSchema, Arrived: a.conns.Arrived, Program: a.program, Log: log})
	if err := a.makeUI(); err != nil {
		return nil, err
	}
	if err := a.openDefault(ctx); err != nil {
		return nil, err
	}
	return a, a.writeCredentials(ctx)
}

// openDefault opens the default environment, and creates it on the first start.
func (a *App) openDefault(ctx context.Context) error {
	limits, err := ratelimit.ParseSetting(a.o.RateLimits)
	if err != nil {
		return err
	}
	env, err := a.envs.Open(ctx, environment.Default)
	if errors.Is(err, environment.NotFound) {
		env, _, err = a.seeder.Create(ctx, provision.Create{ID: environment.Default, Name: "default", RateLimits: limits, Fixture: a.o.Fixture})
	}
	if errors.Is(err, environment.Lost) { // nothing serves a reset
		return errors.New("the database of the default environment is missing: restore it from a backup, or start with another data folder or database")
	}
	if err != nil {
		return fmt.Errorf("cannot open the default environment: %w", err)
	}
	env.SetRateLimits(limits)
	return nil
}

// lockData locks the data directory for this program: two programs would not see
// each other's changes.
func (a *App) lockData() error {
	f, err := os.OpenFile(filepath.Join(a.o.Data, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := system.Lock(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("the data folder %s is in use by another understudy", a.o.Data)
	}
	a.lock = f
	return nil
}

// writeFile atomically replaces a file that only its owner may read.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// close undoes New.
func (a *App) close() {
	for _, s := range a.servers {
		_ = s.listener.Close()
	}
	if a.envs != nil {
		if err := a.envs.Close(); err != nil {
			a.log.Error("the environments could not be closed", "error", err)
		}
	}
	if a.program != nil {
		_ = a.program.Close()
	}
	if a.store != nil {
		_ = a.store.Close()
	}
	if a.lock != nil {
		_ = a.lock.Close()
	}
}
