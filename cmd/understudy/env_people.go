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
	Service string `help:"List only the people of this service: messaging, crm or tracker."`
	Query   string `help:"List only people with a word of the name, a handle or an e-mail address that begins with this text."`
	Tenant  string `help:"Workspace, organization or portal of the people, where the service has several."`
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

// person identifies a person in an environment.
type person struct {
	one
	Person string `arg:"" help:"Person: messaging/ and an id, a handle or an e-mail address, such as messaging/jon.abel."`
	Tenant string `help:"Workspace of the person, where there are several."`
}

// path returns the path of something that belongs to the person.
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
	Act     string   `arg:"" help:"Act: say, edit, delete, react, click, choose, shortcut, run, join, leave or read."`
	Members []string `arg:"" optional:"" help:"Members of the act as NAME=VALUE, such as channel=#support. A value may be JSON."`
}

// Run performs an act as a person.
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

// valueOf parses a value of the command line: an object, a list, a boolean, or
// else a text.
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
	After string `help:"List only items that came after the item with this id."`
	Limit int    `default:"50" help:"Largest number of items to list."`
}

// Run prints the items of a person's inbox.
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
	Kind     string `help:"Kind of the item to wait for: message, mention, direct, ephemeral or response."`
	Channel  string `help:"Conversation of the item: #name, an id, or @handle for a direct conversation."`
	From     string `help:"Author of the item: @handle, id or e-mail address."`
	Thread   string `help:"Thread of the item: the ts of its first message."`
	Contains string `help:"Text that the item contains."`
	Text     string `help:"Whole text of the item, or a matcher as JSON."`
	After    string `help:"Id of the item after which the wait begins. The person's last act by default."`
	Timeout  int64  `name:"timeout-ms" default:"10000" help:"Longest time to wait in real milliseconds, at most 60000."`
}

// Run waits for an item in a person's inbox.
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
	Quiet   int64 `name:"quiet-ms" default:"150" help:"Milliseconds for which nothing must be under way."`
	Timeout int64 `name:"timeout-ms" default:"5000" help:"Longest time to wait in real milliseconds."`
}

// Run waits until an environment is quiet.
func (c *envSettle) Run() error {
	return c.run(http.MethodPost, envPath(c.Environment, "/settle"), map[string]any{"quiet_ms": c.Quiet, "timeout_ms": c.Timeout}, func(reply map[string]any) {
		fmt.Printf("settled: %v, after %v ms; %v requests under way, %v deliveries wait\n",
			reply["settled"], reply["waited_ms"], reply["in_flight"], reply["pending_deliveries"])
	})
}
