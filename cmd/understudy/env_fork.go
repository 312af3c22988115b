package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
)

// formatFlag is the output format of credentials.
type formatFlag struct {
	Format string `enum:"text,json,env,mcp" default:"text" help:"Format of the credentials: text, json, env (lines NAME=value) or mcp (the configuration of an MCP client)."`
}

// printMade prints the reply to a request that creates environments.
func (f formatFlag) printMade(a *adminFlags, method, path string, body map[string]any) error {
	if f.Format == "json" {
		a.JSON = true
	}
	if f.Format != "env" && f.Format != "mcp" {
		return a.run(method, path, body, printCredentials)
	}
	if a.JSON {
		return usageError{errors.New("give --format or --json, not both")}
	}
	if body["count"] != nil {
		return usageError{errors.New("--format env and --format mcp print one environment; leave out --count")}
	}
	reply, err := a.call(method, path, body)
	if err != nil {
		return err
	}
	return a.print(envPath(fmt.Sprint(reply["id"]), "/credentials?format=", f.Format))
}

// replaced returns the value of the member if_exists.
func replaced(replace bool) any {
	if replace {
		return "replace"
	}
	return nil
}

type envFork struct {
	one
	formatFlag
	ID           string            `name:"id" help:"Id of the fork: 3 to 40 lower-case letters, digits and hyphens. The server generates one by default."`
	Replace      bool              `help:"Delete the environment that already has the id given by --id."`
	Name         string            `help:"Name of the fork, shown in lists. The id by default."`
	Snapshot     string            `help:"Id of the parent's snapshot to copy. The parent's current state by default."`
	Deliveries   string            `help:"off: the fork delivers no event to a webhook."`
	TTLSeconds   *float64          `name:"ttl-seconds" help:"Number of seconds after which the server deletes the fork."`
	Ephemeral    *bool             `negatable:"" help:"Keep the fork in memory only. By default it is kept like its parent."`
	RateLimits   string            `name:"rate-limits" help:"Rate limits: real, off, or xN for N times the real allowance. Those of the parent by default."`
	Clock        string            `help:"Time (RFC 3339) at which the clock of the fork is frozen, or run. The parent's clock by default."`
	Seed         *int64            `help:"Number from which the ids that the fork generates are derived."`
	Credentials  string            `help:"fresh: the fork has credentials of its own; no token, session, secret or key of the parent works in it."`
	Destinations map[string]string `name:"destination" mapsep:"none" help:"FROM=TO: replace the beginning FROM of webhook addresses with TO. May be repeated."`
	Faults       string            `help:"none, for a fork without fault rules, or a JSON file with its rules. Those of the parent by default."`
	Recordings   string            `help:"full: the fork keeps more of the requests that it records."`
	Count        *int              `help:"Number of forks to make, all or none of them. Their ids end in -1, -2 and so on."`
}

// Run forks an environment.
func (c *envFork) Run() error {
	body := map[string]any{}
	for name, value := range map[string]string{"id": c.ID, "name": c.Name, "snapshot": c.Snapshot, "deliveries": c.Deliveries,
		"rate_limits": c.RateLimits, "clock": c.Clock, "credentials": c.Credentials, "recordings": c.Recordings} {
		if value != "" {
			body[name] = value
		}
	}
	for name, value := range map[string]any{"ttl_seconds": given(c.TTLSeconds), "ephemeral": given(c.Ephemeral), "seed": given(c.Seed),
		"count": given(c.Count), "if_exists": replaced(c.Replace)} {
		if value != nil {
			body[name] = value
		}
	}
	if len(c.Destinations) > 0 {
		body["destinations"] = c.Destinations
	}
	switch c.Faults {
	case "":
	case "inherit", "none":
		body["faults"] = c.Faults
	default:
		rules, err := readRules(c.Faults)
		if err != nil {
			return err
		}
		body["faults"] = rules
	}
	return c.printMade(&c.adminFlags, http.MethodPost, envPath(c.Environment, "/fork"), body)
}

// given returns the value of a flag, nil if absent.
func given[T any](flag *T) any {
	if flag == nil {
		return nil
	}
	return *flag
}

type envCredentials struct {
	one
	Format string `enum:"json,env,mcp" default:"json" help:"Format of the credentials: json, env (lines NAME=value) or mcp (the configuration of an MCP client)."`
	For    string `enum:"agent,operator" default:"agent" help:"agent, or operator to include the admin key."`
}

// Run prints the credentials of an environment.
func (c *envCredentials) Run() error {
	return c.print(envPath(c.Environment, "/credentials?format=", c.Format, "&for=", c.For))
}

// print prints the raw reply of a path of the admin plane.
func (f *adminFlags) print(path string) error {
	text, err := f.text(http.MethodGet, path)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

type envSet struct {
	one
	Name       string   `help:"New name of the environment."`
	RateLimits string   `name:"rate-limits" help:"New rate limits: real, off, or xN for N times the real allowance."`
	TTLSeconds *float64 `name:"ttl-seconds" help:"Number of seconds from now after which the server deletes the environment."`
	Forever    bool     `help:"Remove the time to live: the environment stays until it is deleted."`
}

// Run changes an environment.
func (c *envSet) Run() error {
	body := map[string]any{}
	for name, value := range map[string]string{"name": c.Name, "rate_limits": c.RateLimits} {
		if value != "" {
			body[name] = value
		}
	}
	switch {
	case c.Forever && c.TTLSeconds != nil:
		return usageError{errors.New("give --forever or --ttl-seconds, not both")}
	case c.Forever:
		body["ttl_seconds"] = nil
	case c.TTLSeconds != nil:
		body["ttl_seconds"] = *c.TTLSeconds
	}
	if len(body) == 0 {
		return usageError{errors.New("give --name, --rate-limits, --ttl-seconds or --forever")}
	}
	return c.run(http.MethodPatch, envPath(c.Environment), body, printEnvironment)
}

type envDelete struct {
	adminFlags
	Environment string `arg:"" optional:"" help:"Id or name of the environment."`
	All         bool   `help:"Delete all environments whose names match --name."`
	Name        string `help:"With --all: name to match, in which * stands for any text. The environment default is never deleted."`
}

// Run deletes an environment, or all with a name.
func (c *envDelete) Run() error {
	switch {
	case c.All && c.Environment != "":
		return usageError{errors.New("give an environment, or --all with --name")}
	case c.All && c.Name == "":
		return usageError{errors.New("--all needs --name, such as --name 'ci-*'")}
	case !c.All && c.Name != "":
		return usageError{errors.New("--name needs --all; to delete one environment, give its id or name as the argument")}
	case !c.All && c.Environment == "":
		return usageError{errors.New("the environment is missing: give its id or name, or --all with --name")}
	case !c.All:
		return c.run(http.MethodDelete, envPath(c.Environment), nil, func(map[string]any) { fmt.Println("deleted", c.Environment) })
	}
	if _, err := path.Match(c.Name, ""); err != nil {
		return usageError{fmt.Errorf("--name %q: %w", c.Name, err)}
	}
	gone, err := c.deleteNamed()
	if c.JSON {
		return errors.Join(err, printJSON(map[string]any{"deleted": gone}))
	}
	for _, id := range gone {
		fmt.Println("deleted", id)
	}
	return err
}

// deleteNamed deletes the environments whose names match a pattern, and returns
// their ids.
func (c *envDelete) deleteNamed() (gone []string, err error) {
	gone = []string{}
	all, err := c.environments("&counts=false")
	if err != nil {
		return gone, err
	}
	for _, one := range all {
		e := one.(map[string]any)
		id := fmt.Sprint(e["id"])
		if matches, _ := path.Match(c.Name, fmt.Sprint(e["name"])); !matches || id == "default" {
			continue
		}
		if _, err := c.call(http.MethodDelete, "/environments/"+url.PathEscape(id), nil); err != nil {
			return gone, fmt.Errorf("%s: %w", id, err)
		}
		gone = append(gone, id)
	}
	return gone, nil
}

type envSnapshots struct{ one }

// Run lists the snapshots of an environment.
func (c *envSnapshots) Run() error {
	all, err := c.list(envPath(c.Environment, "/snapshots"), "snapshots", "")
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(map[string]any{"snapshots": all})
	}
	for _, one := range all {
		s := one.(map[string]any)
		fmt.Printf("%v  %v  %v\n", s["id"], s["created_at"], s["name"])
	}
	return nil
}
