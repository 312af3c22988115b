package console

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/config"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/page"
	"understudy/internal/platform/ratelimit"
)

const maxBody = 1 << 20

var (
	badName = environment.BadValue.At("name").Detailf("must have 1 to 100 printable characters")
	notYet  = fault.New(fault.Unprocessable, "not_supported", "This build keeps environments on disk and takes no seed documents.")
)

var protected = fault.New(fault.Conflict, "default_environment", "The default environment cannot be deleted.")

func (c *Console) routes() {
	c.handle("POST /admin/v1/environments", c.create)
	c.handle("GET /admin/v1/environments", c.list)
	c.handle("GET /admin/v1/environments/{env}", c.show)
	c.handle("DELETE /admin/v1/environments/{env}", c.remove)
	c.handle("PATCH /admin/v1/environments/{env}", c.update)
	c.handle("POST /admin/v1/environments/{env}/reset", c.reset)
	c.handle("POST /admin/v1/environments/{env}/restore", c.restore)
	c.handle("POST /admin/v1/environments/{env}/fork", c.fork)
	c.handle("POST /admin/v1/environments/{env}/snapshots", c.snapshot)
	c.handle("GET /admin/v1/environments/{env}/snapshots", c.snapshots)
	c.handle("DELETE /admin/v1/environments/{env}/snapshots/{snapshot}", c.removeSnapshot)
	c.handle("POST /admin/v1/environments/{env}/clock", c.setClock)
	c.handle("GET /admin/v1/environments/{env}/requests", c.requests)
	c.deliveryRoutes()
}

func (c *Console) handle(pattern string, f func(w http.ResponseWriter, r *http.Request) error) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if id := r.PathValue("env"); id != "" {
			defer c.d.Manager.Hold(id)()
		}
		if err := f(w, r); err != nil {
			c.WriteError(w, r, err)
		}
	})
}

type createRequest struct {
	Name       string          `json:"name"`
	Fixture    string          `json:"fixture"`
	Seed       opt.Opt[int64]  `json:"seed"`
	Clock      opt.Opt[string] `json:"clock"`
	RateLimits string          `json:"rate_limits"`

	TTLSeconds opt.Opt[float64] `json:"ttl_seconds"`
	Ephemeral  bool             `json:"ephemeral"`
	Document   opt.Opt[any]     `json:"document"`
}

var environmentName = regexp.MustCompile(`^[^\x00-\x1f]{1,100}$`)

func (c *Console) create(w http.ResponseWriter, r *http.Request) error {
	var in createRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.Name != "" && !environmentName.MatchString(in.Name) {
		return badName
	}
	if in.Ephemeral || in.Document.Set {
		return notYet // refused, not ignored: a caller would believe that it was done
	}
	if in.Fixture != "" && !slices.Contains(config.Fixtures, in.Fixture) {
		return environment.BadValue.At("fixture").Detailf("must be one of %s", strings.Join(config.Fixtures, ", "))
	}
	limits, err := ratelimit.ParseSetting(in.RateLimits)
	if err != nil {
		return environment.BadValue.At("rate_limits").Detailf("%s", err)
	}
	made := environment.Create{Name: in.Name, Fixture: in.Fixture, RateLimits: limits}
	if seed, ok := in.Seed.Get(); ok {
		made.Seed = &seed
	}
	if text, ok := in.Clock.Get(); ok {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return environment.BadValue.At("clock").Detailf("must be a time such as 2026-01-31T09:00:00Z")
		}
		made.Clock = &at
	}
	if made.TTL, err = ttlOf(in.TTLSeconds); err != nil {
		return err
	}
	env, err := c.d.Manager.Create(r.Context(), made)
	return c.made(w, r, http.StatusCreated, env, err)
}

type summary struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Parent     *string   `json:"parent"`
	CreatedAt  time.Time `json:"created_at"`
	RateLimits string    `json:"rate_limits"`

	ExpiresAt *time.Time `json:"expires_at"`
}

func summarize(i environment.Info) summary {
	s := summary{ID: i.ID, Name: i.Name, CreatedAt: i.Created, RateLimits: i.RateLimits.String()}
	if i.Parent != "" {
		s.Parent = &i.Parent
	}
	if !i.Expires.IsZero() {
		s.ExpiresAt = &i.Expires
	}
	return s
}

func (c *Console) list(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := paging(r, "environment")
	if err != nil {
		return err
	}
	found, err := c.d.Manager.List(r.Context(), after, limit+1)
	if err != nil {
		return err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = page.Encode("environment", found[limit-1].ID)
	}
	out := make([]summary, len(found))
	for i, info := range found {
		out[i] = summarize(info)
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"environments": out, "next_cursor": next})
	return nil
}

type detail struct {
	summary
	SizeBytes int64 `json:"size_bytes"`
	Clock     struct {
		Now    time.Time `json:"now"`
		Frozen bool      `json:"frozen"`
	} `json:"clock"`
}

func (c *Console) show(w http.ResponseWriter, r *http.Request) error {
	env, err := c.d.Manager.Open(r.Context(), r.PathValue("env"))
	if err != nil {
		return err
	}
	return c.writeDetail(w, r, env)
}

func (c *Console) writeDetail(w http.ResponseWriter, r *http.Request, env *environment.Environment) (err error) {
	out := detail{summary: summarize(env.Info)}
	out.Clock.Now, out.Clock.Frozen = env.Clock.Now(), env.Clock.State().Frozen
	if out.SizeBytes, err = c.d.Manager.Size(r.Context(), env); err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"environment": out})
	return nil
}

func (c *Console) remove(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("env")
	if id == environment.Default {
		return protected
	}
	if err := c.d.Manager.Delete(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
