package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
	"understudy/internal/platform/record"
)

var (
	noSuchService = fault.New(fault.NotFound, "service_not_found", "There is no service of this name.")
	noPeople      = environment.NotAPerson.Detailf("This service has no people.")
)

const (
	sessionLifetime    = 3600       // seconds, by default
	maxSessionLifetime = 30 * 86400 // seconds
)

func (c *Console) peopleRoutes() {
	c.handle("GET /admin/v1/environments/{env}/people", c.inside(c.people), "service", "query", "tenant", "admin", "limit", "cursor")
	c.handle("POST /admin/v1/environments/{env}/people/{service}/{user}/session", c.inside(c.actAs), "tenant")
	acting{c}.routes()
}

type personReply struct {
	Service     string   `json:"service"`
	Tenant      string   `json:"tenant" description:"Workspace, organization or portal."`
	TenantName  string   `json:"tenant_name"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Handle      string   `json:"handle"`
	Email       string   `json:"email"`
	Admin       bool     `json:"admin"`
	Bot         bool     `json:"bot"`
	Deactivated bool     `json:"deactivated"`
	Acts        []string `json:"acts" description:"What the admin plane can do in their name by one call."`
}

type peopleReply struct {
	People     []personReply `json:"people"`
	NextCursor string        `json:"next_cursor"`
}

// people lists the people of all services, or of one, service by service.
func (c *Console) people(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	after, limit, err := pages.Read(r, "person")
	if err != nil {
		return err
	}
	admins, err := truth(r, "admin", false)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	services := env.PopulatedServices()
	if service := q.Get("service"); service != "" {
		if err := checkService(c, service); err != nil {
			return err
		}
		services = slices.DeleteFunc(services, func(name string) bool { return name != service })
	}
	from, position, _ := strings.Cut(after, " ")
	if at := slices.Index(services, from); at >= 0 {
		services = services[at:]
	}
	out := peopleReply{People: []personReply{}}
	for _, service := range services {
		ask := auth.PersonQuery{Tenant: q.Get("tenant"), Words: q.Get("query"), Admin: admins, Limit: limit - len(out.People)}
		if service == from {
			ask.After = position
		}
		if ask.Limit == 0 { // whether the remaining services have any is not checked
			out.NextCursor = page.Encode("person", service+" ")
			break
		}
		found, more, err := env.Service(service).(environment.Populated).Population().List(r.Context(), ask)
		if err != nil {
			return err
		}
		for _, p := range found {
			out.People = append(out.People, personReply{Service: service, Tenant: p.Tenant, TenantName: p.TenantName, ID: p.ID, Name: p.Name,
				Handle: p.Handle, Email: p.Email, Admin: p.Admin, Bot: p.Bot, Deactivated: p.Deactivated, Acts: acting{c}.actsOf(service, p)})
		}
		if more {
			out.NextCursor = page.Encode("person", service+" "+found[len(found)-1].Position())
			break
		}
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

type actRequest struct {
	Kind    string   `json:"kind" description:"messaging: user_token or jwt; tracker: api_key or jwt; crm: access_token. The first is what is given when left out."`
	Expires *int64   `json:"expires_seconds" description:"On the environment's clock; 3600 when left out, 2592000 at most."`
	Actor   string   `json:"actor" enum:"person,agent" description:"As whose work verdicts, traces and recordings count what is done with it: person when left out. agent is for an agent that works under a person's name."`
	Scopes  []string `json:"scopes" description:"Fewer than all; for kinds that have scopes."`
}

type actReply struct {
	Service string `json:"service"`
	User    struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"user"`
	Tenant    string    `json:"tenant"`
	Kind      string    `json:"kind"`
	Token     string    `json:"token"`
	BaseURL   string    `json:"base_url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// actAs creates a session as a person.
func (c *Console) actAs(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	var in actRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	service := r.PathValue("service")
	instance := env.Service(service)
	if instance == nil {
		return noSuchService
	}
	populated, ok := instance.(environment.Populated)
	if !ok {
		return noPeople
	}
	people := populated.Population()
	kind, err := in.kind(people.Sessions)
	if err != nil {
		return err
	}
	lifetime := int64(sessionLifetime)
	if in.Expires != nil {
		if lifetime = *in.Expires; lifetime < 1 || lifetime > maxSessionLifetime {
			return environment.BadValue.At("expires_seconds").Detailf("must be from 1 to %d", maxSessionLifetime)
		}
	}
	if in.Actor != "" && in.Actor != record.Person.String() && in.Actor != record.Agent.String() {
		return environment.BadValue.At("actor").Detailf("must be person or agent")
	}
	p, err := personOf(r, people)
	if err != nil {
		return err
	}
	out := actReply{Service: service, Tenant: p.Tenant, Kind: kind.Name, BaseURL: c.d.BaseURL(env.ID, service)}
	out.User.ID, out.User.Name, out.User.Email = p.ID, p.Name, p.Email
	if out.Token, out.ExpiresAt, err = env.Auth.ActAs(r.Context(), auth.ActAs{Service: service, Kind: kind.Kind, Prefix: kind.Prefix, Person: p,
		Scopes: kind.Scopes, Tier: kind.Tier, Lifetime: time.Duration(lifetime) * time.Second, Agent: in.Actor == record.Agent.String()}); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	httpkit.WriteJSON(w, http.StatusCreated, out)
	return nil
}

// personOf returns the person in the path of a request. It returns
// PersonNotFound, NotAPerson and PersonDeactivated.
func personOf(r *http.Request, people environment.Population) (auth.Person, error) {
	user, tenant := r.PathValue("user"), r.URL.Query().Get("tenant")
	if !httpkit.IsText(user) || !httpkit.IsText(tenant) {
		return auth.Person{}, environment.PersonNotFound
	}
	p, found, err := people.Find(r.Context(), tenant, strings.TrimPrefix(user, "@"))
	switch {
	case err != nil:
	case !found:
		err = environment.PersonNotFound
	case p.Bot:
		err = environment.NotAPerson
	case p.Deactivated:
		err = environment.PersonDeactivated
	}
	return p, err
}

// kind returns the requested kind of session, with the requested scopes.
func (in *actRequest) kind(kinds []environment.SessionKind) (environment.SessionKind, error) {
	kind := kinds[0]
	if in.Kind != "" {
		at := slices.IndexFunc(kinds, func(k environment.SessionKind) bool { return k.Name == in.Kind })
		if at < 0 {
			names := make([]string, len(kinds))
			for i, k := range kinds {
				names[i] = k.Name
			}
			return kind, environment.BadValue.At("kind").Detailf("must be one of %s", strings.Join(names, ", "))
		}
		kind = kinds[at]
	}
	if in.Scopes == nil {
		return kind, nil
	}
	for _, scope := range in.Scopes {
		if !slices.Contains(kind.Scopes, scope) {
			return kind, environment.BadValue.At("scopes").Detailf("%q is no scope of the kind %s", scope, kind.Name)
		}
	}
	kind.Scopes = in.Scopes
	return kind, nil
}
