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

// crmEmail is the address of the first user of a portal.
const crmEmail = "admin@crm.understudy.test"

// clientApp is the app id of the registered OAuth client; those of private apps
// are smaller.
const clientApp = 1_000_001

type crmService struct{ app *App }

func (crmService) Name() string         { return crm.Name }
func (crmService) Schema() store.Schema { return crm.Schema() }

// Entities declares the service's entities for diffs.
func (crmService) Entities() []diff.Entity { return crm.Entities() }

func (s crmService) Open(env *environment.Environment) (environment.Instance, error) {
	c := crm.New(env.World, crm.Deps{Clock: env.Clock, IDs: env.IDs, Secrets: env.Secrets, Auth: env.Auth, Bus: env.Bus, Log: env.Log})
	h := rest.NewHandler(rest.Deps{CRM: c, Auth: env.Auth, IDs: env.IDs, Clock: env.Clock, Limiter: env.Limiter, SearchLimit: s.app.o.CRMSearchLimit, Log: env.Log})
	return &crmInstance{env: env, crm: c, handler: s.app.around(env, crm.Name, h, h, rest.IsReading)}, nil
}

type crmInstance struct {
	env     *environment.Environment
	crm     *crm.CRM
	handler http.Handler
}

func (i *crmInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.handler.ServeHTTP(w, r) }

func (i *crmInstance) Close() { i.crm.Close() }

// secret returns a secret in the form of a UUID, after n rotations.
func (i *crmInstance) secret(purpose string, n int64) string {
	return i.env.Secrets.SecretUUID(environment.Rotated("crm/"+purpose, n))
}

// crmToken returns the first token after n rotations.
func crmToken(secrets *ids.Secrets, n int64) string {
	return "pat-na1-" + secrets.SecretUUID(environment.Rotated("crm/token", n))
}

func (i *crmInstance) clientSecret(n int64) string { return i.secret("client_secret", n) }
func (i *crmInstance) clientID() string {
	return ids.FormatUUID(i.env.Secrets.UUID("crm/client_id"))
}

func (i *crmInstance) Provision(ctx context.Context) error {
	portal, _, err := i.crm.CreatePortal(ctx, crm.NewPortal{Name: "Understudy", Email: crmEmail, FirstName: "Ada", LastName: "Admin",
		PasswordHash: auth.DerivedPassword("crm/admin"), Token: crmToken(i.env.Secrets, 0)})
	if err != nil {
		return err
	}
	return i.crm.RegisterClient(ctx, crm.Client{ID: i.clientID(), Portal: portal.ID, App: clientApp, Name: "Understudy demo app", Secret: i.clientSecret(0)})
}

// Rotate renews the first token, the client's secret and the first user's password.
func (i *crmInstance) Rotate(_ context.Context, tx *store.Tx, n int64) error {
	if err := i.env.Auth.ResetPassword(tx, crm.Name, crmEmail, i.env.PasswordPurpose("crm/admin", n)); err != nil {
		return err
	}
	if err := i.env.Auth.Renew(tx, crm.Name, crmToken(i.env.Secrets, i.env.Rotation()), crmToken(i.env.Secrets, n)); err != nil {
		return err
	}
	return i.crm.RenewClient(tx, i.clientID(), i.clientSecret(n))
}

// Connection returns the connection of the official clients.
func (i *crmInstance) Connection(_ context.Context, baseURL string) (environment.Connection, error) {
	return environment.Connection{Variables: []environment.Variable{
		{Name: "HUBSPOT_ACCESS_TOKEN", Value: crmToken(i.env.Secrets, i.env.Rotation())}, {Name: "HUBSPOT_BASE_PATH", Value: baseURL + "/api"}}}, nil
}

// RenewInherited renews the first token and the client's secret.
func (i *crmInstance) RenewInherited(_ context.Context, tx *store.Tx, was *ids.Secrets) error {
	n := i.env.Rotation()
	if err := i.env.Auth.Renew(tx, crm.Name, crmToken(was, n), crmToken(i.env.Secrets, n)); err != nil {
		return err
	}
	return i.crm.RenewClient(tx, i.clientID(), i.clientSecret(n))
}

// MakeOwn replaces the first token and the client's secret by those of the environment.
func (crmService) MakeOwn(tx *store.Tx, in environment.Instance, was *ids.Secrets) error {
	i := in.(*crmInstance)
	n := i.env.Rotation()
	if err := i.env.Auth.Reword(tx, crm.Name, crmToken(was, n), crmToken(i.env.Secrets, n)); err != nil {
		return err
	}
	return i.crm.RenewClient(tx, i.clientID(), i.clientSecret(n))
}

// Index builds the index of words.
func (i *crmInstance) Index(ctx context.Context) error { return i.crm.Index(ctx) }

func (i *crmInstance) Credentials(ctx context.Context, baseURL string) (any, error) {
	n := i.env.Rotation()
	c := map[string]any{
		"base_url": baseURL, "portal_id": 1, "access_token": crmToken(i.env.Secrets, n), "user_email": crmEmail,
		"client_id": i.clientID(), "client_secret": i.clientSecret(n),
	}
	return c, i.env.World.Read(ctx, func(tx *store.Tx) (err error) {
		if c["user_password"], err = i.env.Auth.KnownPassword(tx, crm.Name, crmEmail); err != nil {
			return err
		}
		fixed, err := i.crm.HasFixtureToken(tx)
		if fixed {
			c["fixture_token"] = crm.FixtureToken
		}
		return err
	})
}

// OpenFixture issues the token with the constant text, unless other machines can
// reach the server.
func (i *crmInstance) OpenFixture(_ context.Context, tx *store.Tx) error {
	if i.env.Exposed {
		return nil
	}
	return i.crm.IssueFixtureToken(tx)
}

// ReadSeed reads the CRM's part of a seed document.
func (i *crmInstance) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) environment.Seed {
	return i.crm.ReadSeed(r, part, at)
}

// Counts returns the numbers of records and owners.
func (i *crmInstance) Counts(ctx context.Context) (environment.Counts, error) {
	return i.crm.Count(ctx)
}

// Codes returns the codes of the service's errors, sorted.
func (crmService) Codes() []string { return rest.Codes() }

// Operations returns the names of its requests in recordings.
func (crmService) Operations() []string { return rest.OperationNames() }
