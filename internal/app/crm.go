package app

import (
	"context"
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/crm/rest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// crmEmail is the address of the user that a portal begins with.
const crmEmail = "admin@crm.understudy.test"

// clientApp is the app id of the registered OAuth client; private apps have small ones.
const clientApp = 1_000_001

type crmService struct{ app *App }

func (crmService) Name() string         { return crm.Name }
func (crmService) Schema() store.Schema { return crm.Schema() }

// Entities declares what a diff shows.
func (crmService) Entities() []diff.Entity { return crm.Entities() }

func (s crmService) Open(env *environment.Environment) (environment.Instance, error) {
	c := crm.New(env.World, crm.Deps{Clock: env.Clock, IDs: env.IDs, Secrets: env.Secrets, Auth: env.Auth, Bus: env.Bus, Log: env.Log})
	h := rest.NewHandler(rest.Deps{CRM: c, Auth: env.Auth, IDs: env.IDs, Clock: env.Clock, Limiter: env.Limiter, SearchLimit: s.app.o.CRMSearchLimit, Log: env.Log})
	return &crmInstance{env: env, crm: c, handler: s.app.around(env, crm.Name, h, h)}, nil
}

type crmInstance struct {
	env     *environment.Environment
	crm     *crm.CRM
	handler http.Handler
}

func (i *crmInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.handler.ServeHTTP(w, r) }

func (i *crmInstance) Close() { i.crm.Close() }

// derivedUUID returns a UUID for a purpose, derived from the environment's secrets.
func (i *crmInstance) derivedUUID(purpose string) string {
	return ids.FormatUUID(i.env.Secrets.UUID("crm/" + purpose))
}

func (i *crmInstance) token() string        { return "pat-na1-" + i.derivedUUID("token") }
func (i *crmInstance) clientID() string     { return i.derivedUUID("client_id") }
func (i *crmInstance) clientSecret() string { return i.derivedUUID("client_secret") }

func (i *crmInstance) Provision(ctx context.Context) error {
	portal, _, err := i.crm.CreatePortal(ctx, crm.NewPortal{Name: "Understudy", Email: crmEmail, FirstName: "Ada", LastName: "Admin",
		PasswordHash: auth.DerivedPassword("crm/admin"), Token: i.token()})
	if err != nil {
		return err
	}
	return i.crm.RegisterClient(ctx, crm.Client{ID: i.clientID(), Portal: portal.ID, App: clientApp, Name: "Understudy demo app", Secret: i.clientSecret()})
}

// Index makes the index of words of what is there.
func (i *crmInstance) Index(ctx context.Context) error { return i.crm.Index(ctx) }

func (i *crmInstance) Credentials(_ context.Context, baseURL string) (any, error) {
	return map[string]any{
		"base_url": baseURL, "portal_id": 1, "access_token": i.token(),
		"user_email": crmEmail, "user_password": i.env.Auth.DerivedPasswordText("crm/admin"),
		"client_id": i.clientID(), "client_secret": i.clientSecret(),
	}, nil
}

// Fill fills the portal from a bundled fixture.
func (i *crmInstance) Fill(ctx context.Context, fixture string) error {
	return i.crm.Seed(ctx, fixture)
}

// ReadSeed reads the CRM's part of a seed document.
func (i *crmInstance) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) environment.Seed {
	return i.crm.ReadSeed(r, part, at)
}

// Counts returns how much there is.
func (i *crmInstance) Counts(ctx context.Context) (environment.Counts, error) {
	return i.crm.Count(ctx)
}
