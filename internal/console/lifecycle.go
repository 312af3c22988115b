package console

import (
	"net/http"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/ratelimit"
)

type updateRequest struct {
	Name       opt.Opt[string]  `json:"name"`
	RateLimits opt.Opt[string]  `json:"rate_limits"`
	TTLSeconds opt.Opt[float64] `json:"ttl_seconds"`
}

func (c *Console) update(w http.ResponseWriter, r *http.Request) error {
	var in updateRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	var change lifecycle.Change
	if name, ok := in.Name.Get(); ok {
		if !environmentName.MatchString(name) {
			return badName
		}
		change.Name = &name
	}
	if text, ok := in.RateLimits.Get(); ok {
		limits, err := ratelimit.ParseSetting(text)
		if err != nil {
			return environment.BadValue.At("rate_limits").Detailf("%s", err)
		}
		change.RateLimits = &limits
	}
	if in.TTLSeconds.Set {
		ttl, err := ttlOf(in.TTLSeconds)
		if err != nil {
			return err
		}
		if ttl > 0 && r.PathValue("env") == environment.Default {
			return protected.At("ttl_seconds").Detailf("The default environment cannot be deleted, so it cannot expire.")
		}
		change.TTL = &ttl
	}
	if err := c.d.Environments.Update(r.Context(), r.PathValue("env"), change); err != nil {
		return err
	}
	return c.inside(c.show)(w, r)
}

// maxTTLSeconds is ten years.
const maxTTLSeconds = 10 * 365 * 24 * 3600

// ttlOf reads ttl_seconds; null and absent mean for ever.
func ttlOf(in opt.Opt[float64]) (time.Duration, error) {
	seconds, ok := in.Get()
	if !ok {
		return 0, nil
	}
	if seconds <= 0 || seconds > maxTTLSeconds {
		return 0, environment.BadValue.At("ttl_seconds").Detailf("must be a positive number of seconds, at most %d", maxTTLSeconds)
	}
	return max(time.Microsecond, time.Duration(seconds*float64(time.Second))), nil // not 0, which means for ever
}

// again replies with the credentials of an environment that was reset or
// restored.
func (c *Console) again(w http.ResponseWriter, r *http.Request, env *environment.Environment, err error) error {
	if err != nil {
		return err
	}
	env, leave, err := c.d.Environments.Enter(r.Context(), env.ID) // it may have been reset again
	if err != nil {
		return err
	}
	defer leave()
	out, err := c.credentialsOf(r.Context(), env.ID, env, false)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, env, out)
	return nil
}

// answer replies with the credentials of a new, reset or restored environment.
func answer(w http.ResponseWriter, status int, env *environment.Environment, credentials object) {
	setTarget(w, env.ID)
	setInMemory(w, env.Ephemeral)
	httpkit.WriteJSON(w, status, credentials)
}

func (c *Console) reset(w http.ResponseWriter, r *http.Request) error {
	env, err := c.d.Clones.Reset(r.Context(), r.PathValue("env"))
	return c.again(w, r, env, err)
}

func (c *Console) restore(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Snapshot string `json:"snapshot"`
	}
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	if in.Snapshot == "" {
		return environment.BadValue.At("snapshot").Detailf("must name a snapshot")
	}
	env, err := c.d.Clones.Restore(r.Context(), r.PathValue("env"), in.Snapshot)
	return c.again(w, r, env, err)
}

type snapshotReply struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	SizeBytes int64     `json:"size_bytes"`
}

func replyOf(s environment.Snapshot) snapshotReply {
	return snapshotReply{ID: s.ID, Name: s.Name, CreatedAt: s.Created, SizeBytes: s.Size}
}

func (c *Console) snapshot(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	if in.Name != "" && !environmentName.MatchString(in.Name) {
		return badName
	}
	s, err := c.d.Clones.Snapshot(r.Context(), r.PathValue("env"), in.Name)
	if err != nil {
		return err
	}
	setTarget(w, s.ID)
	httpkit.WriteJSON(w, http.StatusCreated, replyOf(s))
	return nil
}

func (c *Console) snapshots(w http.ResponseWriter, r *http.Request) error {
	return serveList(w, r, "snapshot", "snapshots", func(after string, limit int) ([]environment.Snapshot, error) {
		return c.d.Clones.Snapshots(r.Context(), r.PathValue("env"), after, limit)
	}, func(s *environment.Snapshot) string { return s.ID }, replyOf)
}

func (c *Console) removeSnapshot(w http.ResponseWriter, r *http.Request) error {
	if err := c.d.Clones.DeleteSnapshot(r.Context(), r.PathValue("env"), r.PathValue("snapshot")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

var badClock = environment.BadValue.At("clock").Detailf(`must be one of {"freeze": "2026-01-31T09:00:00Z"}, {"advance": "90s"} and {"run": true}`)

var lateClock = environment.BadValue.At("clock").Detailf("must be between %s and %s", clock.Earliest.Format(time.RFC3339), clock.Latest.Format(time.RFC3339))

type clockRequest struct {
	Freeze  opt.Opt[string] `json:"freeze"`
	Advance opt.Opt[string] `json:"advance"`
	Run     bool            `json:"run"`
}

// setClock freezes, advances or runs the clock of an environment.
func (c *Console) setClock(w http.ResponseWriter, r *http.Request) error {
	var in clockRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	return c.inside(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		if err := env.SetClock(r.Context(), in.set); err != nil {
			return err
		}
		return c.show(w, r, env)
	})(w, r)
}

// set applies the request to a clock.
func (in *clockRequest) set(k *clock.Clock) error {
	freeze, toFreeze := in.Freeze.Get()
	advance, toAdvance := in.Advance.Get()
	switch {
	case toFreeze && !toAdvance && !in.Run:
		at, err := time.Parse(time.RFC3339Nano, freeze)
		if err != nil {
			return environment.BadValue.At("freeze").Detailf("must be a time such as 2026-01-31T09:00:00Z")
		}
		if !clock.Valid(at) {
			return lateClock
		}
		k.Freeze(at)
	case toAdvance && !toFreeze && !in.Run:
		d, err := time.ParseDuration(advance)
		switch {
		case err != nil:
			return environment.BadValue.At("advance").Detailf("must be a duration such as 90s, 5m or 36h")
		case d < 0:
			return environment.BadValue.At("advance").Detailf("must not be negative: freeze sets a clock back")
		case d > 100*365*24*time.Hour:
			return environment.BadValue.At("advance").Detailf("must be at most 876000h")
		}
		if !k.Advance(d) {
			return lateClock
		}
	case in.Run && !toFreeze && !toAdvance:
		k.Run()
	default:
		return badClock
	}
	return nil
}
