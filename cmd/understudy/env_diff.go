package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"
)

type envDiff struct {
	one
	From string `help:"Id of the snapshot to compare from. The environment's creation by default."`
	To   string `help:"Id of the snapshot to compare to. The current state by default."`
}

// changes are the lists of a diff.
type changes struct {
	Inserts []any `json:"inserts"`
	Updates []any `json:"updates"`
	Deletes []any `json:"deletes"`
}

// Run prints the changes, page by page: as one JSON object, or as a line for each
// thing, each field that an update changed, and each request that wrote it.
func (c *envDiff) Run() error {
	all := changes{[]any{}, []any{}, []any{}}
	cursor := ""
	for {
		q := url.Values{"from": {c.From}, "to": {c.To}, "cursor": {cursor}}
		reply, err := c.call(http.MethodGet, envPath(c.Environment, "/diff?", q.Encode()), nil)
		if err != nil {
			return err
		}
		for member, list := range map[string]*[]any{"inserts": &all.Inserts, "updates": &all.Updates, "deletes": &all.Deletes} {
			found, _ := reply[member].([]any)
			*list = append(*list, found...)
		}
		if cursor, _ = reply["next_cursor"].(string); cursor == "" {
			break
		}
	}
	if c.JSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(all)
	}
	all.print()
	return nil
}

func (c *changes) print() {
	for _, list := range []struct {
		sign    string
		changes []any
	}{{"+", c.Inserts}, {"~", c.Updates}, {"-", c.Deletes}} {
		for _, one := range list.changes {
			ch, _ := one.(map[string]any)
			before, _ := ch["before"].(map[string]any)
			after, _ := ch["after"].(map[string]any)
			fmt.Printf("%s %v %v %v%s\n", list.sign, ch["service"], ch["entity"], ch["key"], gist(before, after))
			fields, _ := ch["changed"].([]any)
			for _, f := range fields {
				fmt.Printf("    %v: %s -> %s\n", f, brief(before[fmt.Sprint(f)]), brief(after[fmt.Sprint(f)]))
			}
			causes, _ := ch["cause"].([]any)
			for _, one := range causes {
				fmt.Printf("    by %s\n", causeText(one))
			}
			if ch["exact"] == false {
				fmt.Println("    by others too, or by one of these: what wrote it is not known exactly")
			}
		}
	}
	fmt.Printf("%d inserts, %d updates, %d deletes\n", len(c.Inserts), len(c.Updates), len(c.Deletes))
}

// gist returns a short text for an inserted or deleted row: its most
// characteristic field.
func gist(before, after map[string]any) string {
	if before != nil && after != nil {
		return "" // the changed fields follow
	}
	shown := after
	if shown == nil {
		shown = before
	}
	for _, f := range []string{"text", "title", "body", "properties.email", "properties.name", "properties.dealname", "properties.subject", "primitive_name", "name"} {
		if v, ok := shown[f].(string); ok && v != "" {
			return " " + brief(v)
		}
	}
	return ""
}

// maxBrief is the most characters of a value in a line.
const maxBrief = 60

func brief(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "?"
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if utf8.RuneCountInString(text) <= maxBrief {
		return text
	}
	return string([]rune(text)[:maxBrief]) + "…"
}
