package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/ratelimit"
)

const (
	// mostForks is the most forks that one request may create.
	mostForks = 1000
	// longestID is the longest chosen id, in characters.
	longestID = 40
)

type forkRequest struct {
	ID       string `json:"id" pattern:"^[a-z][a-z0-9-]{2,39}$" description:"The id; generated when left out. With count, the forks are <id>-1 and so on."`
	IfExists string `json:"if_exists" enum:"error,replace" description:"replace deletes an environment that has the id."`
	Name     string `json:"name"`
	Snapshot string `json:"snapshot" description:"Id of the snapshot to begin with; now when left out."`

	Deliveries   string            `json:"deliveries" enum:"on,off"`
	TTLSeconds   opt.Opt[float64]  `json:"ttl_seconds"`
	Ephemeral    opt.Opt[bool]     `json:"ephemeral" description:"Kept in memory alone; the parent's when left out."`
	RateLimits   opt.Opt[string]   `json:"rate_limits" description:"real, off or xN; the parent's when left out."`
	Clock        opt.Opt[string]   `json:"clock" description:"A time (RFC 3339), at which it is frozen, or run; the parent's when left out."`
	Seed         opt.Opt[int64]    `json:"seed" description:"That ids and order begin from; the parent's go on when left out."`
	Credentials  string            `json:"credentials" enum:"inherited,fresh" description:"fresh: none of the parent's credentials works."`
	Destinations map[string]string `json:"destinations" description:"Beginnings of webhook, command and interaction URLs, and what is put in their place when something is sent."`
	Faults       json.RawMessage   `json:"faults" description:"inherit, none, or a list of rules, as POST …/faults reads them, in place of the parent's."`
	Recordings   string            `json:"recordings" enum:"recent,full"`
	Count        opt.Opt[int64]    `json:"count" description:"1 to 1000 forks, all or none."`
}

type forksReply struct {
	Environments []object `json:"environments"`
}

func (c *Console) fork(w http.ResponseWriter, r *http.Request) error {
	var in forkRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	f, err := in.fork(r.Context(), c.d.Environments.Platform)
	if err != nil {
		return err
	}
	parent := r.PathValue("env")
	if f.ID == parent && f.Replace {
		return environment.BadValue.At("id").Detailf("must not be the parent's")
	}
	n, several := in.Count.Get()
	if !several {
		var out object
		f.Fill = func(ctx context.Context, env *environment.Environment) (err error) {
			out, err = c.credentialsOf(ctx, env.ID, env, f.Fresh)
			return err
		}
		env, err := c.d.Clones.Fork(r.Context(), parent, f)
		if err != nil {
			return err
		}
		answer(w, http.StatusCreated, env, out)
		return nil
	}
	if n < 1 || n > mostForks {
		return environment.BadValue.At("count").Detailf("must be a number from 1 to %d", mostForks)
	}
	if longest := longestID - len(strconv.Itoa(int(n))) - 1; len(f.ID) > longest {
		return environment.BadValue.At("id").Detailf("must have at most %d characters with this count, because the forks are named %s-1 and so on", longest, f.ID)
	}
	out := forksReply{Environments: make([]object, n)}
	made, err := c.d.Clones.Forks(r.Context(), parent, int(n), f, func(ctx context.Context, i int, id string, env *environment.Environment) (err error) {
		out.Environments[i], err = c.credentialsOf(ctx, id, env, f.Fresh)
		return err
	})
	if err != nil {
		return err
	}
	setInMemory(w, made[0].Ephemeral)
	httpkit.WriteJSON(w, http.StatusCreated, out)
	return nil
}

// credentialsOf returns the credentials object for an environment with the id and
// the content of env; forAgent leaves out the admin key.
func (c *Console) credentialsOf(ctx context.Context, id string, env *environment.Environment, forAgent bool) (object, error) {
	out, err := c.d.Credentials(ctx, id, env)
	if err != nil {
		return nil, err
	}
	out["id"] = id
	if forAgent {
		delete(out, "admin")
	}
	return out, nil
}

// fork converts the request to a clone.Fork.
func (in *forkRequest) fork(ctx context.Context, platform *environment.Platform) (f clone.Fork, err error) {
	f = clone.Fork{ID: in.ID, Name: in.Name, Snapshot: in.Snapshot}
	if f.Replace, err = chosen(in.ID, in.IfExists); err != nil {
		return f, err
	}
	if in.Name != "" && !environmentName.MatchString(in.Name) {
		return f, badName
	}
	for name, one := range map[string]struct {
		value, other string
		set          *bool
		allowed      string
	}{
		"deliveries":  {in.Deliveries, "off", &f.Differs.Mute, "on"},
		"credentials": {in.Credentials, "fresh", &f.Fresh, "inherited"},
		"recordings":  {in.Recordings, "full", &f.Differs.FullRecordings, "recent"},
	} {
		if one.value != "" && one.value != one.other && one.value != one.allowed {
			return f, environment.BadValue.At(name).Detailf("must be %s or %s", one.allowed, one.other)
		}
		*one.set = one.value == one.other
	}
	if f.TTL, err = ttlOf(in.TTLSeconds); err != nil {
		return f, err
	}
	if ephemeral, ok := in.Ephemeral.Get(); ok {
		f.Ephemeral = &ephemeral
	}
	if text, ok := in.RateLimits.Get(); ok {
		limits, err := ratelimit.ParseSetting(text)
		if err != nil {
			return f, environment.BadValue.At("rate_limits").Detailf("%s", err)
		}
		f.RateLimits = &limits
	}
	if seed, ok := in.Seed.Get(); ok {
		f.Differs.Seed = &seed
	}
	if text, ok := in.Clock.Get(); ok && text == "run" {
		f.Differs.Run = true
	} else if ok {
		at, err := clockAt(text, `"run" or a time`)
		if err != nil {
			return f, err
		}
		f.Differs.Clock = &at
	}
	if err := checkDestinations(platform.Client, in.Destinations); err != nil {
		return f, err
	}
	f.Differs.Destinations = in.Destinations
	f.Differs.Faults, err = forkFaults(ctx, platform, in.Faults)
	return f, err
}

// chosen validates a chosen id, and reports whether it may replace an
// environment. An empty id means none.
func chosen(id, ifExists string) (replace bool, err error) {
	switch {
	case ifExists != "" && ifExists != "error" && ifExists != "replace":
		return false, environment.BadValue.At("if_exists").Detailf("must be error or replace")
	case id == "" && ifExists == "replace":
		return false, environment.BadValue.At("if_exists").Detailf("needs an id")
	case id != "" && !environment.IsChosenID(id):
		return false, environment.BadValue.At("id").Detailf("must have 3 to 40 lower-case letters, digits and hyphens, a letter first")
	case id == environment.Default && ifExists == "replace":
		return false, protected
	}
	return ifExists == "replace", nil
}

// clockAt parses the time for a clock. wanted describes the accepted texts.
func clockAt(text, wanted string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, environment.BadValue.At("clock").Detailf("must be %s such as 2026-01-31T09:00:00Z", wanted)
	}
	if !clock.Valid(at) {
		return at, lateClock
	}
	return at, nil
}

// mostDestinations bounds the destinations of a fork.
const mostDestinations = 100

// checkDestinations rejects keys that are not prefixes of web addresses, and
// targets to which nothing may be sent.
func checkDestinations(client *outbound.Client, destinations map[string]string) error {
	if len(destinations) > mostDestinations {
		return environment.BadValue.At("destinations").Detailf("must have at most %d members", mostDestinations)
	}
	for from, to := range destinations {
		if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
			return environment.BadValue.At("destinations." + from).Detailf("must begin with http:// or https://")
		}
		if !client.Allows(to) {
			return environment.BadValue.At("destinations." + from).Detailf("must lead to an http or https address to which the server may send")
		}
	}
	return nil
}

// forkFaults returns the initial fault rules of a fork, validated; nil for those
// of its parent.
func forkFaults(ctx context.Context, platform *environment.Platform, in json.RawMessage) (*[]inject.Rule, error) {
	switch string(in) {
	case "", "null", `"inherit"`:
		return nil, nil
	case `"none"`:
		return new([]inject.Rule), nil
	}
	if in[0] != '[' {
		return nil, environment.BadValue.At("faults").Detailf("must be inherit, none or a list of rules")
	}
	rules, err := readFaults(ctx, fmt.Appendf(nil, `{"faults":%s}`, in))
	if err != nil {
		return nil, err
	}
	checked, err := platform.CheckFaults(rules, placeOfFault)
	return &checked, err
}
