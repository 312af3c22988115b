package mcptools

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/mcpkit"
)

// object is a filter or an input of the GraphQL API.
type object = map[string]any

// kind is a kind of entity that arguments can name.
type kind struct {
	noun   string
	field  string   // of Query
	filter string   // its filter type
	show   string   // the selection that an error shows of each candidate
	names  []string // fields with its names, the most specific first
	tool   string   // the tool that lists it, if there is one
}

var (
	teams    = &kind{"team", "teams", "TeamFilter", "id key name", []string{"key", "name"}, "list_teams"}
	users    = &kind{"user", "users", "UserFilter", "id name displayName email", []string{"email", "displayName", "name"}, ""}
	states   = &kind{"state", "workflowStates", "WorkflowStateFilter", "id name type", []string{"name", "type"}, "list_teams"}
	projects = &kind{"project", "projects", "ProjectFilter", "id name slugId", []string{"slugId", "name"}, "list_projects"}
	labels   = &kind{"label", "issueLabels", "IssueLabelFilter", "id name", []string{"name"}, ""}
	cycles   = &kind{"cycle", "cycles", "CycleFilter", "id name number", []string{"name"}, ""}
)

// entity is what a lookup found.
type entity struct {
	ID          string
	Key         string
	Name        string
	DisplayName string
	Email       string
	SlugID      string `json:"slugId"`
	Type        string
	Number      float64
}

func (e *entity) field(name string) string {
	switch name {
	case "key":
		return e.Key
	case "displayName":
		return e.DisplayName
	case "email":
		return e.Email
	case "slugId":
		return e.SlugID
	case "type":
		return e.Type
	}
	return e.Name
}

func (e *entity) show() string {
	switch {
	case e.Key != "":
		return e.Key + " (" + e.Name + ")"
	case e.Email != "":
		return e.Name + " (" + e.Email + ")"
	case e.Name == "":
		return strconv.Itoa(int(e.Number))
	}
	return e.Name
}

// want is a reference that a lookup resolves.
type want struct {
	kind   *kind
	text   string // name, key or id, as the caller wrote it
	within object // a filter that it must match; nil for none
	single bool   // it must match one entity only
	found  []entity
}

// ids returns the ids of what was found.
func (w *want) ids() []string {
	var out []string
	for _, e := range w.found {
		out = append(out, e.ID)
	}
	return out
}

// naming returns the filter for the entities that have a text as their name, key
// or id.
func (k *kind) naming(text string) object {
	if ids.IsUUID(text) {
		return object{"id": object{"eq": text}}
	}
	var any []object
	for _, f := range k.names {
		any = append(any, object{f: object{"eqIgnoreCase": text}})
	}
	switch k {
	case users:
		if strings.EqualFold(text, "me") {
			return object{"isMe": object{"eq": true}}
		}
	case cycles:
		if n, err := strconv.ParseFloat(strings.TrimPrefix(text, "#"), 64); err == nil {
			any = append(any, object{"number": object{"eq": n}})
		}
		if is := map[string]string{"current": "isActive", "active": "isActive", "next": "isNext", "previous": "isPrevious"}[strings.ToLower(text)]; is != "" {
			return object{is: object{"eq": true}}
		}
	}
	return object{"or": any}
}

// lookup resolves references in one request. For a reference without a match, or
// with several where one is required, it returns an error that lists the
// candidates.
func (c *Client) lookup(ctx context.Context, wants []*want) error {
	if len(wants) == 0 {
		return nil
	}
	filters := make([]object, len(wants))
	for i, w := range wants {
		filters[i] = object{"and": w.conditions(w.kind.naming(w.text))}
	}
	found, err := c.find(ctx, wants, filters, 50)
	if err != nil {
		return err
	}
	for i, w := range wants {
		if w.found = found[i]; w.single {
			w.prefer()
		}
		if len(w.found) == 0 || w.single && len(w.found) > 1 {
			return c.notOne(ctx, w)
		}
	}
	return nil
}

func (w *want) conditions(more ...object) []object {
	if w.within != nil {
		more = append(more, w.within)
	}
	return more
}

// find returns the matches of each filter. It asks for all of them in one
// document.
func (c *Client) find(ctx context.Context, wants []*want, filters []object, most int) ([][]entity, error) {
	var declared, fields []string
	variables := object{}
	for i, w := range wants {
		name := fmt.Sprintf("f%d", i)
		declared = append(declared, fmt.Sprintf("$%s: %s", name, w.kind.filter))
		fields = append(fields, fmt.Sprintf("r%d: %s(first: %d, filter: $%s) { nodes { %s } }", i, w.kind.field, most, name, w.kind.show))
		variables[name] = filters[i]
	}
	var data map[string]struct{ Nodes []entity }
	err := c.ask(ctx, "query("+strings.Join(declared, ", ")+") { "+strings.Join(fields, " ")+" }", variables, &data)
	if err != nil {
		return nil, err
	}
	out := make([][]entity, len(wants))
	for i := range wants {
		out[i] = data[fmt.Sprintf("r%d", i)].Nodes
	}
	return out, nil
}

// prefer keeps the best of several matches: a team with a key before a team with
// that name, a state with a name before one of that type.
func (w *want) prefer() {
	for _, f := range w.kind.names {
		var best []entity
		for _, e := range w.found {
			if strings.EqualFold(e.field(f), w.text) {
				best = append(best, e)
			}
		}
		if len(best) > 0 {
			w.found = best
			break
		}
	}
	if w.kind == states && len(w.found) > 1 && !strings.EqualFold(w.found[0].Name, w.text) {
		w.found = w.found[:1] // any state of the type will do
	}
}

// notOne returns the error for a reference with no match or too many. It lists
// the candidates.
func (c *Client) notOne(ctx context.Context, w *want) error {
	k := w.kind
	if len(w.found) > 1 {
		var which []string
		for _, e := range w.found {
			which = append(which, fmt.Sprintf("%s with id %s", e.show(), e.ID))
		}
		return failure(refused{Error: "ambiguous", Status: http.StatusBadRequest,
			Message: fmt.Sprintf("Several %ss go by %q.", k.noun, w.text), Hint: "Name one by its id: " + strings.Join(which, "; ") + "."})
	}
	hint := ""
	var filter object
	if w.within != nil {
		filter = w.within
	}
	if all, err := c.find(ctx, []*want{w}, []object{filter}, 30); err == nil && len(all[0]) > 0 {
		var names []string
		for _, e := range all[0] {
			if s := e.show(); !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
		hint = fmt.Sprintf("There are these %ss: %s.", k.noun, strings.Join(names, ", "))
	} else {
		hint = fmt.Sprintf("There are no %ss.", k.noun)
	}
	if k.tool != "" {
		hint += " See " + k.tool + "."
	}
	return failure(refused{Error: "not_found", Status: http.StatusNotFound,
		Message: fmt.Sprintf("No %s goes by %q.", k.noun, w.text), Hint: hint})
}

// inTeam returns the filter for entities of a team.
func inTeam(id string) object { return object{"team": object{"id": object{"eq": id}}} }

// idIn returns the filter for some ids.
func idIn(ids []string) object { return object{"id": object{"in": ids}} }

// wantIf adds a reference when the caller has set the argument.
func wantIf(wants []*want, a mcpkit.Args, arg string, k *kind, within object, single bool) ([]*want, *want) {
	if a.Text(arg) == "" {
		return wants, nil
	}
	w := &want{kind: k, text: a.Text(arg), within: within, single: single}
	return append(wants, w), w
}
