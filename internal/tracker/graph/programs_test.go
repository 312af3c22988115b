package graph

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// program is what the documents of a program by others ask for: facts, since
// the documents themselves are not ours to copy.
type program struct {
	Documents int
	Fields    map[string]map[string]string // type, field, type of the field
	Arguments map[string]map[string]string // "Type.field", argument, type
	Inputs    map[string][]string          // type, fields
	Unserved  []string                     // mutations that it calls and that do not exist here
}

func loadPrograms(t *testing.T) map[string]program {
	t.Helper()
	raw, err := os.ReadFile("testdata/programs.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]program
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A field, an argument or an input field that a program names and the schema
// lacks, or types otherwise, has the program's whole document refused.
func TestSchemaHasWhatProgramsAskFor(t *testing.T) {
	schema := loadSchema(t)
	documents := 0
	for name, p := range loadPrograms(t) {
		documents += p.Documents
		for typ, fields := range p.Fields {
			for field, want := range fields {
				if f := fieldOf(schema, typ, field); f == nil || f.Type.String() != want {
					t.Errorf("%s: %s.%s: want type %s, have %v", name, typ, field, want, f)
				}
			}
		}
		for key, arguments := range p.Arguments {
			typ, field, _ := strings.Cut(key, ".")
			for argument, want := range arguments {
				f := fieldOf(schema, typ, field)
				if f == nil || f.Arguments.ForName(argument) == nil || bare(f.Arguments.ForName(argument).Type) != strings.Trim(want, "[]!") {
					t.Errorf("%s: %s(%s:) of type %s is missing", name, key, argument, want)
				}
			}
		}
		for typ, fields := range p.Inputs {
			for _, field := range fields {
				if fieldOf(schema, typ, field) == nil {
					t.Errorf("%s: %s.%s is missing", name, typ, field)
				}
			}
		}
		for _, m := range p.Unserved {
			if fieldOf(schema, "Mutation", m) != nil {
				t.Errorf("%s: %s exists", name, m)
			}
		}
	}
	if documents < 182 {
		t.Errorf("%d documents", documents)
	}
}

func fieldOf(schema *ast.Schema, typ, field string) *ast.FieldDefinition {
	if def := schema.Types[typ]; def != nil {
		return def.Fields.ForName(field)
	}
	return nil
}

func bare(t *ast.Type) string { return strings.Trim(t.String(), "[]!") }

// Whatever a program selects, everything at once, is answered: by what is there
// for areas that the service has, by null, nothing or "not found" for others.
func TestProgramsSelectionsAreAnswered(t *testing.T) {
	both(t, 0, func(d *desk) {
		d.fill(2)
		schema := loadSchema(t)
		issue := d.made(`issueCreate(input: {teamId: "`+d.team+`", title: "Selected", description: "a"})`, "issue")
		ids := map[string]string{"Issue": issue, "Team": d.team,
			"Project": d.made(`projectCreate(input: {name: "P", teamIds: ["`+d.team+`"]})`, "project"),
			"Comment": d.made(`commentCreate(input: {issueId: "`+issue+`", body: "b"})`, "comment"),
			"User":    "me", "Cycle": d.made(`cycleCreate(input: {teamId: "`+d.team+`", startsAt: "2027-01-01T00:00:00Z", endsAt: "2027-01-08T00:00:00Z"})`, "cycle")}
		for name, p := range loadPrograms(t) {
			asked := 0
			for _, root := range slices.Sorted(maps.Keys(p.Fields["Query"])) {
				def := fieldOf(schema, "Query", root)
				arguments, known := p.rootArguments(def, ids)
				query := "{ " + root + arguments + p.selection(schema, bare(def.Type), nil) + " }"
				asked++
				if !known {
					if s := d.refuse(query); !strings.HasPrefix(s.Errors[0].Message, "Entity not found") {
						d.Errorf("%s: %s: %v", name, query, s.Errors[0])
					}
					continue
				}
				if got := d.ask(query, nil)[root]; got == nil && def.Type.NonNull {
					d.Errorf("%s: %s: nothing", name, query)
				}
			}
			if asked == 0 && len(p.Fields["Query"]) > 0 {
				d.Errorf("%s: nothing was asked", name)
			}
		}
	})
}

// rootArguments writes the arguments that a root field needs, and reports
// whether what they name is there.
func (p program) rootArguments(def *ast.FieldDefinition, ids map[string]string) (text string, known bool) {
	words := map[string]string{"term": "page", "query": "page", "branchName": "eng-1"}
	var out []string
	known = true
	for _, a := range def.Arguments {
		switch {
		case a.Name == "id":
			id, found := ids[bare(def.Type)]
			if !found {
				id, known = "5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab", false
			}
			out = append(out, `id: "`+id+`"`)
		case !a.Type.NonNull || a.DefaultValue != nil:
		default:
			out = append(out, a.Name+`: "`+words[a.Name]+`"`)
		}
	}
	if def.Arguments.ForName("first") != nil {
		out = append(out, "first: 2")
	}
	if len(out) == 0 {
		return "", known
	}
	return "(" + strings.Join(out, ", ") + ")", known
}

// selection selects every field that the program selects of a type anywhere,
// and so on below, four levels deep and no type twice on the way down.
func (p program) selection(schema *ast.Schema, typ string, above []string) string {
	def := schema.Types[typ]
	if def.IsLeafType() || len(above) == 4 {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Fields[typ])) {
		f := def.Fields.ForName(name)
		to := bare(f.Type)
		if slices.Contains(above, to) || to == typ {
			continue
		}
		below := p.selection(schema, to, append(slices.Clone(above), typ))
		if below == "" && !schema.Types[to].IsLeafType() {
			continue
		}
		arguments := ""
		if f.Arguments.ForName("first") != nil {
			arguments = "(first: 2)"
		}
		parts = append(parts, name+arguments+below)
	}
	for _, member := range def.Types {
		if below := p.selection(schema, member, append(slices.Clone(above), typ)); below != "" {
			parts = append(parts, "... on "+member+below)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " { " + strings.Join(parts, " ") + " }"
}
