package console

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/config"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/provision"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/page"
	"understudy/internal/platform/ratelimit"
)

const maxBody = 1 << 20

var badName = environment.BadValue.At("name").Detailf("must have 1 to 100 printable characters")

var protected = fault.New(fault.Conflict, "default_environment", "The default environment cannot be deleted.")

func (c *Console) addRoutes() {
	c.handle("POST /admin/v1/environments", c.create)
	c.handle("GET /admin/v1/environments", c.list, "limit", "cursor", "q", "parent", "counts", "sort", "ids")
	c.handle("GET /admin/v1/environments/{env}", c.inside(c.show))
	c.handle("DELETE /admin/v1/environments/{env}", c.remove)
	c.handle("PATCH /admin/v1/environments/{env}", c.update)
	c.handle("POST /admin/v1/environments/{env}/reset", c.reset)
	c.handle("POST /admin/v1/environments/{env}/restore", c.restore)
	c.handle("GET /admin/v1/environments/{env}/credentials", c.inside(c.credentials), "format", "for")
	c.handle("POST /admin/v1/environments/{env}/credentials/rotate", c.inside(c.rotate))
	c.handle("POST /admin/v1/key/rotate", c.rotateKey)
	c.handle("GET /admin/v1/audit", c.auditLog, "limit", "cursor", "environment", "action")
	c.handle("POST /admin/v1/environments/{env}/fork", c.fork)
	c.handle("POST /admin/v1/environments/{env}/snapshots", c.snapshot)
	c.handle("GET /admin/v1/environments/{env}/snapshots", c.snapshots, "limit", "cursor")
	c.handle("DELETE /admin/v1/environments/{env}/snapshots/{snapshot}", c.removeSnapshot)
	c.handle("POST /admin/v1/environments/{env}/clock", c.setClock)
	c.handle("POST /admin/v1/environments/{env}/seed", c.seed, "dry_run")
	c.handle("GET /admin/v1/seed-schema.json", func(w http.ResponseWriter, _ *http.Request) error {
		httpkit.WriteJSON(w, http.StatusOK, c.d.SeedSchema())
		return nil
	})
	c.handle("GET /admin/v1/environments/{env}/stream", func(w http.ResponseWriter, r *http.Request) error { return stream(c, w, r) }, "topics")
	c.requestRoutes()
	c.faultRoutes()
	c.handle("GET /admin/v1/environments/{env}/diff", c.diff, "from", "to", "limit", "cursor", "cause", "fields", "summary", "service", "entity", "key")
	c.handle("GET /admin/v1/environments/{env}/events", c.inside(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		return listEvents(c, w, r, env)
	}), "limit", "cursor", "service", "type")
	c.deliveryRoutes()
	c.peopleRoutes()
	c.verdictRoutes()
	verdicts{c.d.Environments, c.d.Program}.routes(c)
	c.handle("GET /admin/v1/environments/{env}/trace/{session}", showTrace(c.d))
}

// handle registers f for a pattern. Query parameters other than the known ones
// are rejected, and members of a body if the route's shape has none. A handler
// whose shape has a body reads it with readBody.
func (c *Console) handle(pattern string, f func(w http.ResponseWriter, r *http.Request) error, known ...string) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		err := checkQuery(r, known)
		if err == nil {
			err = resolve(c.d.Environments, r)
		}
		if err == nil && r.Method != http.MethodGet && c.shapes[pattern].body == nil {
			err = checkNoBody(r)
		}
		if err == nil {
			err = f(w, r)
		}
		if err != nil {
			c.WriteError(w, r, err)
		}
	}
	c.accepted[pattern] = known
	c.routes.Handle(pattern, func(c *Console, w http.ResponseWriter, r *http.Request) {
		if action := actions[pattern]; action != "" {
			c.audit(action, w, r, serve)
			return
		}
		serve(w, r)
	})
}

// resolve replaces the name of an environment in the path of a request by its
// id. It returns environment.NotFound and environment.Ambiguous.
func resolve(known *lifecycle.Environments, r *http.Request) error {
	text := r.PathValue("env")
	if text == "" {
		return nil
	}
	if !httpkit.IsText(text) {
		return environment.NotFound
	}
	id, err := known.Resolve(r.Context(), text)
	if err == nil {
		r.SetPathValue("env", id)
	}
	return err
}

// inside wraps a handler so that it receives the environment in the path, which
// is not closed or replaced before the handler returns.
func (c *Console) inside(f func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		env, leave, err := c.d.Environments.Enter(r.Context(), r.PathValue("env"))
		if err != nil {
			return err
		}
		defer leave()
		return f(w, r, env)
	}
}

// awaiting is inside for handlers that wait: they fail with
// environment.Interrupted when the environment is reset, restored or removed.
func (c acting) awaiting(f func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		return lifecycle.Await(r.Context(), c.d.Environments, r.PathValue("env"), func(ctx context.Context, env *environment.Environment) error {
			return f(w, r.WithContext(ctx), env)
		})
	}
}

type createRequest struct {
	ID         string          `json:"id" pattern:"^[a-z][a-z0-9-]{2,39}$" description:"The id; generated when left out."`
	IfExists   string          `json:"if_exists" enum:"error,replace" description:"replace deletes an environment that has the id."`
	Name       string          `json:"name"`
	Fixture    string          `json:"fixture"`
	Seed       opt.Opt[int64]  `json:"seed"`
	Clock      opt.Opt[string] `json:"clock"`
	RateLimits string          `json:"rate_limits"`

	TTLSeconds opt.Opt[float64] `json:"ttl_seconds"`
	Ephemeral  bool             `json:"ephemeral"`
	Document   json.RawMessage  `json:"document"`
}

var environmentName = regexp.MustCompile(`^[^\x00-\x1f]{1,100}$`)

func (c *Console) create(w http.ResponseWriter, r *http.Request) error {
	var in createRequest
	body, err := httpkit.ReadBody(r, maxDocument+maxBody)
	if err != nil {
		return err
	}
	if err := decodeBody(r.Context(), body, &in); err != nil {
		return err
	}
	replace, err := chosen(in.ID, in.IfExists)
	if err != nil {
		return err
	}
	if in.Name != "" && !environmentName.MatchString(in.Name) {
		return badName
	}
	if in.Fixture != "" && !slices.Contains(config.Fixtures, in.Fixture) {
		return environment.BadValue.At("fixture").Detailf("must be one of %s", strings.Join(config.Fixtures, ", "))
	}
	limits, err := ratelimit.ParseSetting(in.RateLimits)
	if err != nil {
		return environment.BadValue.At("rate_limits").Detailf("%s", err)
	}
	wanted := provision.Create{ID: in.ID, Replace: replace, Name: in.Name, Fixture: in.Fixture, RateLimits: limits, Ephemeral: in.Ephemeral}
	if seed, ok := in.Seed.Get(); ok {
		wanted.Seed = &seed
	}
	if text, ok := in.Clock.Get(); ok {
		at, err := clockAt(text, "a time")
		if err != nil {
			return err
		}
		wanted.Clock = &at
	}
	if wanted.TTL, err = ttlOf(in.TTLSeconds); err != nil {
		return err
	}
	if wanted.Document, err = documentIn(r.Context(), body, in.Document); err != nil {
		return err
	}
	var out object
	wanted.Describe = func(ctx context.Context, env *environment.Environment) (err error) {
		out, err = c.credentialsOf(ctx, env.ID, env, false)
		return err
	}
	env, made, err := c.d.Provisioner.Create(r.Context(), wanted)
	if err != nil {
		return err
	}
	if made != nil {
		out["made"] = made
	}
	answer(w, http.StatusCreated, env, out)
	return nil
}

// briefReply is an environment as the catalogue has it.
type briefReply struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Parent     *string    `json:"parent"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RateLimits string     `json:"rate_limits"`
	Ephemeral  bool       `json:"ephemeral"`
}

// environmentReply is an environment in replies.
type environmentReply struct {
	briefReply
	SizeBytes int64      `json:"size_bytes"`
	Clock     clockReply `json:"clock"`

	Counts environment.ServiceCounts `json:"counts"`
}

type clockReply struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func briefly(i *environment.Info) briefReply {
	out := briefReply{ID: i.ID, Name: i.Name, CreatedAt: i.Created, RateLimits: i.RateLimits.String(), Ephemeral: i.Ephemeral}
	if i.Parent != "" {
		out.Parent = &i.Parent
	}
	if !i.Expires.IsZero() {
		out.ExpiresAt = &i.Expires
	}
	return out
}

func replyTo(o *environment.Overview) environmentReply {
	return environmentReply{briefReply: briefly(&o.Info), SizeBytes: o.Size,
		Clock: clockReply{o.Clock.Now(), o.Clock.Frozen}, Counts: o.Counts}
}

// mostIDs is how many ids a request for a list may contain.
const mostIDs = 200

// selection reads the query of a list of environments: q, a prefix of a word of
// the name or of the id, parent, ids, and the order.
func selection(r *http.Request) (s lifecycle.Selection, err error) {
	q := r.URL.Query()
	by, descending := strings.CutPrefix(q.Get("sort"), "-")
	if by == "id" {
		by = ""
	}
	if by != "" && !slices.Contains(catalogue.Orders, by) || descending && q.Get("sort") == "-" {
		return s, environment.BadValue.At("sort").Detailf("must be id, %s, or one of them after a -", strings.Join(catalogue.Orders, ", "))
	}
	s.Order = catalogue.Order{By: by, Descending: descending}
	if text := q.Get("ids"); text != "" {
		s.IDs = strings.Split(text, ",")
		if len(s.IDs) > mostIDs || q.Get("q") != "" || q.Get("parent") != "" || q.Get("sort") != "" {
			return s, environment.BadValue.At("ids").Detailf("must be at most %d ids, without q, parent and sort", mostIDs)
		}
	}
	words, parent := strings.ToLower(q.Get("q")), q.Get("parent")
	if words != "" || parent != "" {
		s.Matches = func(i environment.Info) bool {
			if parent != "" && i.Parent != parent {
				return false
			}
			return words == "" || strings.HasPrefix(i.ID, words) || auth.BeginsAWord(words, i.Name)
		}
	}
	return s, nil
}

// rooms holds memory for pages of a list.
var rooms = sync.Pool{New: func() any { return new([]environment.Overview) }}

func (c *Console) list(w http.ResponseWriter, r *http.Request) error {
	s, err := selection(r)
	if err != nil {
		return err
	}
	overviews, kind := lifecycle.Overviews{Environments: c.d.Environments}, "environment"
	if by := r.URL.Query().Get("sort"); by != "" && by != "id" {
		kind += " " + by
	}
	counted, err := truth(r, "counts", true)
	if err != nil {
		return err
	}
	if !counted {
		return serveShort(w, r, httpkit.List[environment.Info]{Kind: kind, Find: behind(s.Order, func(after catalogue.Place, limit int) ([]environment.Info, error) {
			return overviews.Infos(r.Context(), s, after, limit)
		}), Position: func(i *environment.Info) string { return s.Order.PlaceOf(i).String() }, Show: func(i *environment.Info) any { return (*infoItem)(i) }})
	}
	s.Room = rooms.Get().(*[]environment.Overview)
	defer func() {
		clear(*s.Room) // which refers to texts
		rooms.Put(s.Room)
	}()
	return serveShort(w, r, httpkit.List[environment.Overview]{Kind: kind, Find: behind(s.Order, func(after catalogue.Place, limit int) ([]environment.Overview, error) {
		return overviews.List(r.Context(), s, after, limit)
	}), Position: func(o *environment.Overview) string { return s.Order.PlaceOf(&o.Info).String() }, Show: func(o *environment.Overview) any { return (*overviewItem)(o) }})
}

// serveShort replies with a page of short environments, which it reads at once.
func serveShort[T any](w http.ResponseWriter, r *http.Request, l httpkit.List[T]) error {
	l.Plural, l.First = "environments", pages.Most
	return l.Serve(pages, w, r)
}

// behind adapts a list of environments to positions as text.
func behind[T any](o catalogue.Order, find func(after catalogue.Place, limit int) ([]T, error)) func(string, int) ([]T, error) {
	return func(text string, limit int) ([]T, error) {
		after, ok := o.ReadPlace(text)
		if !ok {
			return nil, page.BadCursor
		}
		return find(after, limit)
	}
}

func (c *Console) show(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	o, err := lifecycle.Overviews{Environments: c.d.Environments}.Of(r.Context(), env)
	if err != nil {
		return err
	}
	one := replyTo(&o)
	httpkit.WriteJSON(w, http.StatusOK, struct {
		environmentReply
		Noun environmentReply `json:"environment"` // the same under its noun, as in the other planes
	}{one, one})
	return nil
}

func (c *Console) remove(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("env")
	if id == environment.Default {
		return protected
	}
	gone, err := c.d.Environments.Delete(r.Context(), id)
	if err != nil {
		return err
	}
	setInMemory(w, gone.Ephemeral)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
