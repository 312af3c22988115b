package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// envCmd contains the commands for environments of a running server.
type envCmd struct {
	List       envList       `cmd:"" help:"List environments."`
	Create     envCreate     `cmd:"" help:"Create an environment and print its credentials."`
	Show       envShow       `cmd:"" help:"Show an environment."`
	Seed       envSeed       `cmd:"" help:"Fill an environment from a seed document."`
	Reset      envReset      `cmd:"" help:"Reset an environment to the state in which it was created."`
	Snapshot   envSnapshot   `cmd:"" help:"Take a snapshot of an environment and print its id."`
	Restore    envRestore    `cmd:"" help:"Restore an environment to one of its snapshots."`
	Fork       envFork       `cmd:"" help:"Fork an environment: create another one that begins as its copy."`
	Diff       envDiff       `cmd:"" help:"List what changed in an environment since its creation or a snapshot."`
	Events     envEvents     `cmd:"" help:"List the events of an environment's services, each with the request that caused it."`
	Deliveries envDeliveries `cmd:"" help:"List the deliveries of events to webhooks, each with the request that caused it."`
	Replay     envReplay     `cmd:"" help:"Send deliveries to webhooks again: those with the given ids, or all that match."`
	Verdict    envVerdict    `cmd:"" help:"Check a list of expectations against what changed in an environment. The exit status is 0 when all of them hold."`
	Trace      envTrace      `cmd:"" help:"Show the session that an agent reported, with the requests that it sent and what they changed."`
	Requests   envRequests   `cmd:"" help:"List the recorded requests of an environment."`
	Request    envRequest    `cmd:"" help:"Show a recorded request with its body and its reply."`
	Faults     envFaults     `cmd:"" help:"List the fault rules of an environment, or remove all of them. A fault rule makes requests or deliveries fail on purpose."`
	Fault      envFault      `cmd:"" help:"Add, show, enable, disable or remove a fault rule of an environment."`
	Clock      envClock      `cmd:"" help:"Freeze, advance or run the clock of an environment."`
	Delete     envDelete     `cmd:"" help:"Delete an environment, or all environments whose names match."`

	Set         envSet         `cmd:"" help:"Change the name, the rate limits or the time to live of an environment."`
	Snapshots   envSnapshots   `cmd:"" help:"List the snapshots of an environment."`
	Credentials envCredentials `cmd:"" help:"Print the credentials of an environment."`
	People      envPeople      `cmd:"" help:"List the people of an environment."`
	Act         envAct         `cmd:"" help:"Act as a person of an environment: say, click, choose or run something."`
	Inbox       envInbox       `cmd:"" help:"List the inbox of a person: the messages and answers that the person was notified of."`
	Wait        envWait        `cmd:"" help:"Wait until a person is notified of a message or an answer."`
	Settle      envSettle      `cmd:"" help:"Wait until no request, delivery or other work is under way in an environment."`
}

// adminFlags are the flags of a command that sends one request and prints the
// reply.
type adminFlags struct {
	serverFlags
	JSON bool `name:"json" help:"Print the reply as JSON."`
}

// call sends a request to the admin plane and returns the reply.
func (f *adminFlags) call(method, path string, body any) (map[string]any, error) {
	text, status, err := f.send(method, path, body)
	if err != nil {
		return nil, err
	}
	reply := map[string]any{}
	if status == http.StatusNoContent {
		return reply, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&reply); err != nil {
		return nil, fmt.Errorf("%s answered with status %d and no JSON; check that --admin-url is the URL of the admin plane", f.AdminURL, status)
	}
	return reply, refusalIn(reply, status)
}

// text sends a request to the admin plane and returns the raw reply.
func (f *adminFlags) text(method, path string) ([]byte, error) {
	text, status, err := f.send(method, path, nil)
	if err != nil || status < http.StatusBadRequest {
		return text, err
	}
	reply := map[string]any{}
	_ = json.Unmarshal(text, &reply)
	if err := refusalIn(reply, status); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s answered with status %d and no JSON; check that --admin-url is the URL of the admin plane", f.AdminURL, status)
}

// refusalIn returns the error in a reply; nil for none.
func refusalIn(reply map[string]any, status int) error {
	refused, ok := reply["error"].(map[string]any)
	if !ok {
		return nil
	}
	err := fmt.Errorf("%v (%v)", refused["message"], refused["code"])
	if status == http.StatusBadRequest { // caused by a value on the command line
		return usageError{err}
	}
	return err
}

// send sends a request to the admin plane and returns the text and the status of the reply.
func (f *adminFlags) send(method, path string, body any) ([]byte, int, error) {
	if err := f.find(); err != nil {
		return nil, 0, err
	}
	var sent io.Reader
	contentType := "application/json"
	if d, ok := body.(document); ok {
		sent, contentType = strings.NewReader(d.text), d.contentType()
	} else if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, 0, err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, strings.TrimSuffix(f.AdminURL, "/")+path, sent)
	if err != nil {
		return nil, 0, usageError{fmt.Errorf("--admin-url: %w", err)}
	}
	if r.URL.Host == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return nil, 0, usageError{fmt.Errorf("--admin-url must be http://HOST/admin/v1, not %q", f.AdminURL)}
	}
	r.Header.Set("Authorization", "Bearer "+f.AdminKey)
	r.Header.Set("Content-Type", contentType)
	resp, err := (&http.Client{Timeout: 90 * time.Second}).Do(r)
	if err != nil {
		return nil, 0, fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, 0, fmt.Errorf("the server does not answer: %w", err)
	}
	return text, resp.StatusCode, nil
}

// run sends a request and prints its reply: as JSON, or with print.
func (f *adminFlags) run(method, path string, body any, print func(reply map[string]any)) error {
	reply, err := f.call(method, path, body)
	if err != nil {
		return err
	}
	if f.JSON {
		return printJSON(reply)
	}
	print(reply)
	return nil
}

// printJSON prints a value for programs.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// environments returns all environments that match query.
func (f *adminFlags) environments(query string) ([]any, error) {
	return f.list("/environments", "environments", query)
}

// list returns the items of a list, page by page.
func (f *adminFlags) list(path, plural, query string) ([]any, error) {
	all, cursor := []any{}, ""
	for {
		reply, err := f.call(http.MethodGet, path+"?limit=200"+query+"&cursor="+url.QueryEscape(cursor), nil)
		if err != nil {
			return nil, err
		}
		page, _ := reply[plural].([]any)
		all = append(all, page...)
		if cursor, _ = reply["next_cursor"].(string); cursor == "" {
			return all, nil
		}
	}
}

func envPath(env string, more ...string) string {
	return "/environments/" + url.PathEscape(env) + strings.Join(more, "")
}

// printCredentials prints the id of an environment and the base URLs of its
// services, or the ids of several.
func printCredentials(reply map[string]any) {
	if all, ok := reply["environments"].([]any); ok {
		for _, one := range all {
			c, _ := one.(map[string]any)
			fmt.Println(c["id"])
		}
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "id\t%v\n", reply["id"])
	for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
		if c, ok := reply[service].(map[string]any); ok {
			_, _ = fmt.Fprintf(w, "%s\t%v\n", service, c["base_url"])
		}
	}
	_ = w.Flush()
	fmt.Println("With --json the reply shows the credentials.")
}

func printEnvironment(e map[string]any) {
	clock, _ := e["clock"].(map[string]any)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, member := range []string{"id", "name", "parent", "created_at", "rate_limits", "expires_at", "size_bytes"} {
		if e[member] != nil {
			_, _ = fmt.Fprintf(w, "%s\t%v\n", member, e[member])
		}
	}
	_, _ = fmt.Fprintf(w, "clock\t%v (frozen: %v)\n", clock["now"], clock["frozen"])
	counts, _ := e["counts"].(map[string]any)
	for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
		if of, ok := counts[service].(map[string]any); ok {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", service, countsText(of))
		}
	}
	_ = w.Flush()
}

type envList struct{ adminFlags }

// Run lists all environments.
func (c *envList) Run() error {
	all, err := c.environments("")
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(map[string]any{"environments": all})
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tPARENT\tCREATED\tRATE LIMITS")
	for _, one := range all {
		e := one.(map[string]any)
		parent := e["parent"]
		if parent == nil {
			parent = "-"
		}
		_, _ = fmt.Fprintf(w, "%v\t%v\t%v\t%v\t%v\n", e["id"], e["name"], parent, e["created_at"], e["rate_limits"])
	}
	return w.Flush()
}

type envCreate struct {
	adminFlags
	formatFlag
	ID         string   `name:"id" help:"Id of the environment: 3 to 40 lower-case letters, digits and hyphens. The server generates one by default."`
	Replace    bool     `help:"Delete the environment that already has the id given by --id."`
	Name       string   `arg:"" optional:"" help:"Name of the environment, shown in lists. The id by default."`
	Called     string   `name:"name" help:"Name of the environment, instead of NAME."`
	Fixture    string   `help:"Name of a bundled fixture to fill the environment with, such as demo."`
	Seed       *int64   `help:"Number from which ids and tokens are derived: the same number makes the same ones."`
	Clock      string   `help:"Time (RFC 3339) at which the clock of the environment is frozen."`
	RateLimits string   `name:"rate-limits" help:"Rate limits: real, off, or xN for N times the real allowance."`
	TTLSeconds *float64 `name:"ttl-seconds" help:"Number of seconds after which the server deletes the environment."`
	Ephemeral  bool     `help:"Keep the environment in memory only. It is lost when the server stops."`
	Document   string   `help:"File of a seed document to fill the environment with, YAML or JSON; - reads standard input."`
}

// Run creates an environment.
func (c *envCreate) Run() error {
	if c.Name != "" && c.Called != "" {
		return usageError{errors.New("give the name once, as NAME or as --name")}
	}
	body := map[string]any{}
	for name, value := range map[string]string{"name": cmp.Or(c.Name, c.Called), "fixture": c.Fixture, "clock": c.Clock, "rate_limits": c.RateLimits} {
		if value != "" {
			body[name] = value
		}
	}
	if c.Seed != nil {
		body["seed"] = *c.Seed
	}
	if c.TTLSeconds != nil {
		body["ttl_seconds"] = *c.TTLSeconds
	}
	if c.Ephemeral {
		body["ephemeral"] = true
	}
	if c.Document != "" {
		doc, err := readDocument(c.Document)
		if err != nil {
			return err
		}
		body["document"] = doc.text
	}
	if c.ID != "" {
		body["id"] = c.ID
	}
	if c.Replace {
		body["if_exists"] = "replace"
	}
	return c.printMade(&c.adminFlags, http.MethodPost, "/environments", body)
}

// one names an environment.
type one struct {
	adminFlags
	Environment string `arg:"" help:"Id or name of the environment."`
}

type envShow struct{ one }

// Run shows an environment.
func (c *envShow) Run() error {
	return c.run(http.MethodGet, envPath(c.Environment), nil, printEnvironment)
}

type envReset struct{ one }

// Run resets an environment.
func (c *envReset) Run() error {
	return c.run(http.MethodPost, envPath(c.Environment, "/reset"), nil, func(map[string]any) { fmt.Println("reset", c.Environment) })
}

type envSnapshot struct {
	one
	Name string `help:"Name of the snapshot, shown in lists."`
}

// Run makes a snapshot and prints its id.
func (c *envSnapshot) Run() error {
	return c.run(http.MethodPost, envPath(c.Environment, "/snapshots"), map[string]any{"name": c.Name},
		func(reply map[string]any) { fmt.Println(reply["id"]) })
}

type envRestore struct {
	one
	Snapshot string `arg:"" help:"Id of the snapshot."`
}

// Run restores an environment.
func (c *envRestore) Run() error {
	return c.run(http.MethodPost, envPath(c.Environment, "/restore"), map[string]any{"snapshot": c.Snapshot},
		func(map[string]any) { fmt.Println("restored", c.Environment, "to", c.Snapshot) })
}

type envClock struct {
	one
	Freeze  string `help:"Time (RFC 3339) at which to freeze the clock."`
	Advance string `help:"Duration by which to move the clock forward, such as 90s."`
	Go      bool   `name:"run" help:"Make the clock run from the time that it shows."`
}

// Run sets a clock.
func (c *envClock) Run() error {
	body := map[string]any{}
	if c.Freeze != "" {
		body["freeze"] = c.Freeze
	}
	if c.Advance != "" {
		body["advance"] = c.Advance
	}
	if c.Go {
		body["run"] = true
	}
	if len(body) != 1 {
		return usageError{errors.New("give one of --freeze, --advance and --run")}
	}
	return c.run(http.MethodPost, envPath(c.Environment, "/clock"), body, printEnvironment)
}
