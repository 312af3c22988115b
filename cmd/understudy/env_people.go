package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

type envPeople struct {
	one
	Service string `help:"messaging, crm or tracker."`
	Query   string `help:"The beginning of a word of a name, the handle or the address."`
	Tenant  string `help:"Workspace, organization or portal, where there are several."`
}

// Run lists the people of an environment, page by page.
func (c *envPeople) Run() error {
	all, cursor := []any{}, ""
	for {
		q := url.Values{"service": {c.Service}, "query": {c.Query}, "tenant": {c.Tenant}, "limit": {"200"}, "cursor": {cursor}}
		reply, err := c.call(http.MethodGet, envPath(c.Environment, "/people?", q.Encode()), nil)
		if err != nil {
			return err
		}
		found, _ := reply["people"].([]any)
		all = append(all, found...)
		if cursor, _ = reply["next_cursor"].(string); cursor == "" {
			break
		}
	}
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"people": all})
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "WHO\tNAME\tEMAIL\tTENANT\tACTS")
	for _, one := range all {
		p, _ := one.(map[string]any)
		who := p["handle"]
		if who == "" {
			who = p["id"]
		}
		acts, _ := p["acts"].([]any)
		_, _ = fmt.Fprintf(w, "%v/%v\t%v\t%v\t%v\t%d\n", p["service"], who, p["name"], p["email"], p["tenant_name"], len(acts))
	}
	return w.Flush()
}

// person names somebody of an environment.
type person struct {
	one
	Person string `arg:"" help:"Who: messaging/ and an id, handle or e-mail address."`
	Tenant string `help:"Workspace, where there are several."`
}

// path returns the address of something of the person.
func (p *person) path(what string, more url.Values) string {
	service, who, ok := strings.Cut(p.Person, "/")
	if !ok {
		service, who = "messaging", p.Person
	}
	if p.Tenant != "" {
		more.Set("tenant", p.Tenant)
	}
	return envPath(p.Environment, "/people/", url.PathEscape(service), "/", url.PathEscape(who), "/", what, "?", more.Encode())
}

type envAct struct {
	person
	Act     string   `arg:"" help:"say, edit, delete, react, click, choose, shortcut, run, join, leave or read."`
	Members []string `arg:"" optional:"" help:"Members of the act as NAME=VALUE, such as channel=#support; a value may be JSON."`
}

// Run does an act as somebody.
func (c *envAct) Run() error {
	body := map[string]any{}
	for _, text := range c.Members {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return usageError{fmt.Errorf("%q must be NAME=VALUE", text)}
		}
		body[name] = valueOf(value)
	}
	return c.run(http.MethodPost, c.path(url.PathEscape(c.Act), url.Values{}), body, printLine)
}

// valueOf reads a value of the command line: an object, a list, a truth value,
// or else a text.
func valueOf(text string) any {
	var v any
	if (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || text == "true" || text == "false") && json.Unmarshal([]byte(text), &v) == nil {
		return v
	}
	return text
}

// printLine prints a reply as one line of JSON.
func printLine(reply map[string]any) {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	_ = e.Encode(reply)
}

type envInbox struct {
	person
	After string `help:"Id of an item: only what came behind it."`
	Limit int    `default:"50" help:"How many at most."`
}

// Run prints what popped up for somebody.
func (c *envInbox) Run() error {
	q := url.Values{"limit": {strconv.Itoa(c.Limit)}}
	if c.After != "" {
		q.Set("after", c.After)
	}
	return c.run(http.MethodGet, c.path("inbox", q), nil, func(reply map[string]any) {
		items, _ := reply["items"].([]any)
		for _, one := range items {
			printItem(one)
		}
	})
}

func printItem(one any) {
	i, _ := one.(map[string]any)
	fmt.Printf("%v\t%v\t%v/%v\t%v\t%s\n", i["id"], i["kind"], i["channel"], i["ts"], i["from"], brief(i["text"]))
}

type envWait struct {
	person
	Kind     string `help:"message, mention, direct, ephemeral or response."`
	Channel  string `help:"#name, an id, or @handle for a direct conversation."`
	From     string `help:"@handle, id or e-mail address."`
	Thread   string `help:"ts of the thread's first message."`
	Contains string `help:"A part of the text."`
	Text     string `help:"The whole text, or a matcher as JSON."`
	After    string `help:"Id of an item: only what comes behind it counts. The person's last act when left out."`
	Timeout  int64  `name:"timeout-ms" default:"10000" help:"How long to wait, in real time; 60000 at most."`
}

// Run waits until something pops up for somebody.
func (c *envWait) Run() error {
	wanted := map[string]any{}
	for name, value := range map[string]string{"kind": c.Kind, "channel": c.Channel, "from": c.From, "thread": c.Thread} {
		if value != "" {
			wanted[name] = value
		}
	}
	switch {
	case c.Contains != "":
		wanted["text"] = map[string]any{"contains": c.Contains}
	case c.Text != "":
		wanted["text"] = valueOf(c.Text)
	}
	body := map[string]any{"for": wanted, "timeout_ms": c.Timeout}
	if c.After != "" {
		body["after"] = c.After
	}
	return c.run(http.MethodPost, c.path("wait", url.Values{}), body, func(reply map[string]any) { printItem(reply["item"]) })
}

type envSettle struct {
	one
	Quiet   int64 `name:"quiet-ms" default:"150" help:"For how long nothing is under way."`
	Timeout int64 `name:"timeout-ms" default:"5000" help:"How long to wait at most."`
}

// Run waits until nothing is under way.
func (c *envSettle) Run() error {
	return c.run(http.MethodPost, envPath(c.Environment, "/settle"), map[string]any{"quiet_ms": c.Quiet, "timeout_ms": c.Timeout}, func(reply map[string]any) {
		fmt.Printf("settled: %v, after %v ms; %v requests under way, %v deliveries wait\n",
			reply["settled"], reply["waited_ms"], reply["in_flight"], reply["pending_deliveries"])
	})
}
