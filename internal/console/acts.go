package console

import (
	"net/http"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// acting is the part of the admin plane for acts of people.
type acting struct{ *Console }

// routes adds the routes of all services' acts, with their shapes.
func (c acting) routes() {
	c.handle("POST /admin/v1/environments/{env}/settle", c.settle)
	for service, active := range c.d.Active {
		for _, act := range active.Acts() {
			c.route(service, act, []int{400, 404, 422, 502}, c.inside, c.act)
		}
		c.route(service, active.Waiting(), []int{400, 404, 409, 422, 429}, c.awaiting, c.wait)
		c.shapes["GET "+personPath(service)+"/inbox"] = shape{"List what popped up for someone, newest first.", nil, map[int]any{200: active.Inbox()}, []int{400, 404, 422}}
		c.handle("GET "+personPath(service)+"/inbox", c.inside(c.as(service, c.inbox)), "tenant", "after", "limit")
	}
}

// named replaces the error of a request to an act that does not exist by one that
// names the acts.
func (c acting) named(r *http.Request, err error) error {
	place, found := strings.CutPrefix(r.URL.Path, "/admin/v1/environments/")
	parts := strings.Split(place, "/") // environment, people, service, user, act
	if e, ok := fault.As(err); !found || !ok || !e.Is(httpkit.NoRoute) || len(parts) != 5 || parts[1] != "people" || c.d.Active[parts[2]] == nil {
		return err
	}
	var names []string
	for _, act := range c.d.Active[parts[2]].Acts() {
		names = append(names, act.Name)
	}
	return httpkit.NoRoute.Detailf("There is no act of this name; there are %s.", strings.Join(names, ", "))
}

func personPath(service string) string { return of + "/people/" + service + "/{user}" }

// doing is a person who performs an act.
type doing struct {
	service string
	acting  environment.Acting
	person  auth.Person
}

type actHandler func(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing, act environment.Act, request any) error

// entering wraps a handler so that it receives the environment in the path.
type entering func(func(http.ResponseWriter, *http.Request, *environment.Environment) error) func(http.ResponseWriter, *http.Request) error

// route adds the route of an act.
func (c acting) route(service string, act environment.Act, refusals []int, enter entering, f actHandler) {
	pattern := "POST " + personPath(service) + "/" + act.Name
	c.shapes[pattern] = shape{act.Summary, act.New(), map[int]any{200: act.Reply}, refusals}
	c.handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		request := act.New()
		if err := readBody(r, maxBody, request); err != nil {
			return err
		}
		return enter(c.as(service, func(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing) error {
			return f(w, r, env, do, act, request)
		}))(w, r)
	}, "tenant")
}

// as wraps a handler so that it receives the person of a service in the path.
func (c acting) as(service string, f func(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing) error) func(http.ResponseWriter, *http.Request, *environment.Environment) error {
	return func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		acting, ok := env.Service(service).(environment.Acting)
		if !ok {
			return noPeople
		}
		p, err := personOf(r, acting.Population())
		if err != nil {
			return err
		}
		return f(w, r, env, doing{service, acting, p})
	}
}

// act performs an act as a person.
func (c acting) act(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing, act environment.Act, request any) error {
	token, err := environment.ActingToken(r.Context(), env, do.service, do.acting.Population(), do.person)
	if err != nil {
		return err
	}
	made := &record.Made{}
	out, err := do.acting.Act(record.WithMade(r.Context(), made), do.person, token, act.Name, request)
	if err != nil {
		return err
	}
	if reply, ok := out.(environment.ActReply); ok {
		reply.Requests(made.Seqs())
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

// wait waits for an item in a person's inbox.
func (c acting) wait(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing, _ environment.Act, request any) error {
	token, err := environment.ActingToken(r.Context(), env, do.service, do.acting.Population(), do.person)
	if err != nil {
		return err
	}
	out, err := do.acting.Wait(r.Context(), do.person, token, request)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

// inbox lists the items of a person's inbox.
func (c acting) inbox(w http.ResponseWriter, r *http.Request, env *environment.Environment, do doing) error {
	_, limit, err := pages.Read(r, "item")
	if err != nil {
		return err
	}
	out, err := do.acting.Inbox(r.Context(), do.person, r.URL.Query().Get("after"), limit)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

// actsOf returns the names of the acts that a person can perform.
func (c acting) actsOf(service string, p auth.Person) []string {
	out := []string{}
	if active := c.d.Active[service]; active != nil && !p.Bot && !p.Deactivated {
		for _, act := range active.Acts() {
			out = append(out, act.Name)
		}
	}
	return out
}
