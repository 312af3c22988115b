package draft

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"understudy/internal/task/plane"
)

// naming are fields by which people identify a thing, in order of preference.
var naming = []string{"key", "identifier", "name", "displayName", "properties.email", "properties.domain", "properties.name", "properties.dealname", "properties.subject", "plain", "title"}

// marks are the prefixes of names.
var marks = map[string]string{"messaging.channel": "#", "messaging.user": "@", "tracker.user": "@"}

// sorts are the entities of references to several sorts, with the prefixes of
// names.
var sorts = map[string]map[string]string{"crm.record": {"crm.contact": "contacts/", "crm.company": "companies/", "crm.deal": "deals/", "crm.ticket": "tickets/"}}

// nobody is a text that no field contains.
const nobody = "\u241f"

// learn reads the names of things by their ids: a verdict that expects another
// name reports the actual one.
func (d *drafter) learn(ctx context.Context, ids map[string][]string) error {
	type asked struct{ refers, entity, id, field, mark string }
	var questions []asked
	var expect []any
	for refers, list := range ids {
		entities := sorts[refers]
		if entities == nil {
			entities = map[string]string{refers: marks[refers]}
		}
		slices.Sort(list)
		for entity, mark := range entities {
			k, ok := d.kinds[entity]
			field := nameField(k)
			if !ok || field == "" || k.field("id").Type == "" {
				continue
			}
			for _, id := range slices.Compact(slices.Clone(list)) {
				if d.names[refers][id] == "" && d.captures[id] == "" && len(expect) < 400 {
					questions = append(questions, asked{refers, entity, id, field, mark})
					expect = append(expect, map[string]any{"state": entity, "where": map[string]any{"id": id, field: map[string]any{"is": nobody}}})
				}
			}
		}
	}
	if len(expect) == 0 {
		return nil
	}
	var v plane.Verdict
	if err := d.plane.Do(ctx, http.MethodPost, plane.Of(d.environment, "/verdict"), map[string]any{"expect": expect}, &v); err != nil {
		return err
	}
	for i, q := range questions {
		if i >= len(v.Checks) {
			break
		}
		for _, near := range v.Checks[i].Evidence.Near {
			var name string
			if len(near.Failed) == 1 && near.Failed[0].Field == q.field && json.Unmarshal(near.Failed[0].Found, &name) == nil && name != "" {
				if d.names[q.refers] == nil {
					d.names[q.refers] = map[string]string{}
				}
				d.names[q.refers][q.id] = q.mark + name
			}
		}
	}
	return nil
}

// nameField returns the field that names things of an entity; "" for none.
func nameField(k kind) string {
	for _, name := range naming {
		if name != "plain" && k.field(name).Type != "" {
			return name
		}
	}
	return ""
}

// said returns the fields of a record that somebody set, with names in place of
// ids: without derived fields, times and defaults.
func (d *drafter) said(k kind, record map[string]any) map[string]any {
	out := map[string]any{}
	plain := k.field("plain").Type != ""
	for _, f := range k.Fields {
		v := at(record, f.Name)
		switch {
		case f.Derived, f.Type == "time", f.Type == "any", isEmpty(v), slices.Contains(ids, f.Name):
			continue
		case plain && slices.Contains(written, f.Name): // the field plain contains them
			continue
		}
		out[f.Name] = d.value(f, v)
	}
	if text := plainOf(record); plain && text != "" {
		if c := d.within(text); c != "" {
			out["plain"] = map[string]any{"contains": c}
		} else {
			out["plain"] = map[string]any{"contains": d.stand(text), "ignoring": []any{"space", "markup"}}
		}
	}
	return out
}

// ids are fields that differ in every run, or that name the actor: the agent,
// unless an expectation says otherwise.
var ids = []string{"id", "ts", "team", "team_id", "context_team_id", "app_id", "bot_id", "user", "creator", "creatorId", "userId", "type", "is_bot", "client_msg_id", "properties.hs_object_id", "properties.created_by", "properties.hs_pipeline"}

// written are the fields from which plain is computed.
var written = []string{"text", "title", "description", "body"}

func plainOf(record map[string]any) string {
	for _, name := range written {
		if text, _ := record[name].(string); text != "" {
			line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			return line
		}
	}
	return ""
}

// value returns a value of a field, with ids replaced by names and captures.
func (d *drafter) value(f field, v any) any {
	list, several := v.([]any)
	if several && f.Refers != "" {
		out := make([]any, len(list))
		for i := range list {
			out[i] = d.value(f, list[i])
		}
		return map[string]any{"includes_all": out}
	}
	if n, ok := v.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return i
		}
		f, _ := n.Float64()
		return f
	}
	text, ok := v.(string)
	if !ok {
		return v
	}
	if f.Refers != "" {
		if name := d.names[f.Refers][text]; name != "" && d.captures[text] == "" {
			return name
		}
	}
	if c := d.within(text); c != "" {
		return map[string]any{"contains": c}
	}
	return d.stand(text)
}

// shortest is the length of the shortest id that is searched within texts.
const shortest = 5

// within returns the capture of an id that a text contains among other words; ""
// for none.
func (d *drafter) within(text string) string {
	for _, id := range slices.Sorted(maps.Keys(d.captures)) {
		if len(id) >= shortest && id != text && strings.Contains(text, id) {
			return d.captures[id]
		}
	}
	return ""
}

// stand returns the reference for a text that is an id: a capture or the result
// of an act. It escapes other texts that look like a reference.
func (d *drafter) stand(text string) string {
	if c := d.captures[text]; c != "" {
		return c
	}
	for name, reply := range d.bind {
		if ts, _ := reply["ts"].(string); ts != "" && ts == text {
			return "$" + name + ".ts"
		}
	}
	if strings.HasPrefix(text, "$") {
		return "$" + text
	}
	return text
}

// at returns a field of a record, by its name or path.
func at(record map[string]any, name string) any {
	if v, ok := record[name]; ok {
		return v
	}
	first, rest, ok := strings.Cut(name, ".")
	if inner, is := record[first].(map[string]any); ok && is {
		return at(inner, rest)
	}
	return nil
}

// idsIn returns the texts in a value that is a text or a list.
func idsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = []string{v}
	case []any:
		for _, one := range v {
			out = append(out, idsIn(one)...)
		}
	}
	return out
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
