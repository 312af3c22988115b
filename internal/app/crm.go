package app

import (
	"context"
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/crm/rest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// crmEmail is the address of the user that a portal begins with.
const crmEmail = "admin@crm.understudy.test"

type crmService struct{ app *App }

func (crmService) Name() string         { return crm.Name }
func (crmService) Schema() store.Schema { return crm.Schema() }

func (s crmService) Open(env *environment.Environment) (environment.Instance, error) {
	c := crm.New(env.World, crm.Deps{Clock: env.Clock, IDs: env.IDs, Secrets: env.Secrets, Auth: env.Auth})
	h := rest.NewHandler(rest.Deps{CRM: c, Auth: env.Auth, IDs: env.IDs, Clock: env.Clock, Limiter: env.Limiter, Log: env.Log})
	return &crmInstance{env: env, crm: c, handler: s.app.around(env, crm.Name, h, h)}, nil
}

type crmInstance struct {
	env     *environment.Environment
	crm     *crm.CRM
	handler http.Handler
}

func (i *crmInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.handler.ServeHTTP(w, r) }

func (i *crmInstance) Close() { i.crm.Close() }

func (i *crmInstance) token() string {
	hex := func(part string, n int) string { return i.env.Secrets.Text("crm/token/"+part, ids.Hex, n) }
	return "pat-na1-" + hex("a", 8) + "-" + hex("b", 4) + "-" + hex("c", 4) + "-" + hex("d", 4) + "-" + hex("e", 12)
}

func (i *crmInstance) Provision(ctx context.Context) error {
	_, _, err := i.crm.CreatePortal(ctx, crm.NewPortal{Name: "Understudy", Email: crmEmail, FirstName: "Ada", LastName: "Admin",
		PasswordHash: auth.DerivedPassword("crm/admin"), Token: i.token()})
	return err
}

func (i *crmInstance) Credentials(_ context.Context, baseURL string) (any, error) {
	return map[string]any{
		"base_url": baseURL, "portal_id": 1, "access_token": i.token(),
		"user_email": crmEmail, "user_password": i.env.Auth.DerivedPasswordText("crm/admin"),
	}, nil
}
