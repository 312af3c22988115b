package blockkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"understudy/internal/platform/fault"
)

// A reading interprets blocks.json without the generated table, so that the two
// can be compared.
type reading struct {
	doc  map[string]any
	told []string
}

type obj = map[string]any

func readData(t testing.TB) *reading {
	data, err := os.ReadFile("blocks.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &reading{}
	if err := json.Unmarshal(data, &r.doc); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reading) section(name string) obj { return r.doc[name].(obj) }

func (r *reading) say(at, message string) {
	r.told = append(r.told, message+" [json-pointer:"+at+"]")
}

// means returns the definitions that a name stands for, by the value of their
// member type ("" for an object without a type).
func (r *reading) means(home, name string) (out map[string]obj, union bool) {
	out = map[string]obj{}
	put := func(section, name string) {
		def := r.section(section)[name].(obj)
		if s, ok := def["surfaces"].(obj); ok && s["message"] == false {
			return
		}
		kind, _ := def["type"].(string)
		if section != "objects" && name != "style" {
			kind = name
		}
		out[kind] = obj{"name": name, "def": def, "section": section}
	}
	if block, ok := strings.CutPrefix(name, "block:"); ok {
		put("blocks", block)
		return out, false
	}
	if members, ok := r.section("unions")[strings.TrimPrefix(name, "@")].([]any); ok {
		for _, m := range members {
			switch m := m.(string); {
			case name == "@container_child":
				put("blocks", m)
			case name == "leaf" || name == "@rich_text_container":
				put("rich_text", m)
			case r.section("elements")[m] != nil:
				put("elements", m)
			default:
				put("objects", m)
			}
		}
		return out, true
	}
	switch {
	case home == "rich_text" && r.section("rich_text")[name] != nil:
		put("rich_text", name)
	case r.section("objects")[name] != nil:
		put("objects", name)
	default:
		put("elements", name)
	}
	return out, false
}

func (r *reading) blocks(list []any) {
	all := map[string]obj{}
	for name, def := range r.section("blocks") {
		if s, ok := def.(obj)["surfaces"].(obj); !ok || s["message"] == true {
			all[name] = obj{"name": name, "def": def, "section": "blocks"}
		}
	}
	for i, b := range list {
		r.any("/blocks/"+strconv.Itoa(i), b, all, true, false)
	}
}

// any checks an object that may be one of several.
func (r *reading) any(at string, v any, can map[string]obj, union, untyped bool, textMax ...float64) {
	m, ok := v.(obj)
	if !ok {
		r.say(at, "must provide an object")
		return
	}
	var pick obj
	if union {
		kind, given := m["type"]
		name, isText := kind.(string)
		switch {
		case !given || kind == nil:
			r.say(at, "missing required field: type")
			return
		case !isText:
			r.say(at+"/type", "must provide a string")
			return
		case can[name] == nil:
			r.say(at+"/type", "unsupported type: "+strings.ToValidUTF8(name[:min(len(name), 64)], ""))
			return
		}
		pick = can[name]
	} else {
		for _, only := range can {
			pick = only
		}
	}
	r.object(at, m, pick, union, untyped, textMax...)
}

func (r *reading) object(at string, m obj, pick obj, union, untyped bool, textMax ...float64) {
	def, name := pick["def"].(obj), pick["name"].(string)
	fields := def["fields"].(obj)
	kind, _ := def["type"].(string)
	if pick["section"] != "objects" && name != "style" {
		kind = name
	}
	absent := func(f string) bool { return m[f] == nil }
	missing := false
	if kind != "" && !untyped && absent("type") {
		r.say(at, "missing required field: type")
		missing = true
	}
	for f, spec := range fields {
		if spec.(obj)["req"] == true && absent(f) {
			r.say(at, "missing required field: "+f)
			missing = true
		}
	}
	if missing {
		return
	}
	count := func(key string) (given, of int) {
		names, _ := def[key].([]any)
		for _, n := range names {
			if !absent(n.(string)) {
				given++
			}
		}
		return given, len(names)
	}
	if n, of := count("exactlyOne"); of > 0 && n != 1 {
		r.say(at, "failed to match exactly one allowed schema")
	}
	if n, of := count("atLeastOne"); of > 0 && n == 0 {
		if name == "section" {
			r.say(at+"/type", "must define either `text` or `fields`")
		} else {
			r.say(at, "failed to match any allowed schemas")
		}
	}
	if pairs, _ := def["notBoth"].([]any); len(pairs) > 0 && !absent("icon") && !absent("slack_icon") {
		r.say(at, "failed to match exactly one allowed schema")
	}
	if def["minFields"] != nil && len(m) < 1 {
		r.say(at, "failed to match any allowed schemas")
	}
	if kind != "" && !union && !absent("type") && m["type"] != kind {
		r.say(at+"/type", "must be a valid enum value")
	}
	for f, v := range m {
		if v == nil || f == "type" && kind != "" {
			continue
		}
		spec, known := fields[f].(obj)
		if !known {
			r.say(at, "invalid additional property: "+f)
			continue
		}
		if f == "text" && len(textMax) > 0 {
			bounded := obj{}
			for k, x := range spec {
				bounded[k] = x
			}
			bounded["max"] = textMax[0]
			spec = bounded
		}
		r.value(at+"/"+f, v, spec, pick["section"].(string))
	}
	if name == "segment" {
		if f, ok := m["value"].(float64); ok && f <= 0 {
			r.say(at+"/value", "must be greater than 0")
		}
	}
	if name == "data_table" {
		if rows, ok := m["rows"].([]any); ok && len(rows) > 0 {
			if cells, ok := rows[0].([]any); ok {
				for i, c := range cells {
					if cell, ok := c.(obj); ok && cell["type"] == "rich_text" {
						r.say(fmt.Sprintf("%s/rows/0/%d/type", at, i), "unsupported type: rich_text")
					}
				}
			}
		}
	}
}

func (r *reading) value(at string, v any, spec obj, home string) {
	number := func(key string) (float64, bool) { f, ok := spec[key].(float64); return f, ok }
	switch spec["t"] {
	case "string":
		s, ok := v.(string)
		if !ok {
			r.say(at, "must provide a string")
			return
		}
		n := float64(utf8.RuneCountInString(s))
		if least, ok := number("min"); ok && n < least {
			r.say(at, fmt.Sprintf("must be more than %v characters", least-1))
		}
		if most, ok := number("max"); ok && n > most {
			r.say(at, fmt.Sprintf("must be less than %v characters", most+1))
		}
		if p, ok := spec["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(s) {
			r.say(at, "input must match regex pattern: "+p)
		}
		if spec["format"] == "uri" && s != "" && !strings.Contains(s, "://") {
			r.say(at, "input must be a valid: uri")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			r.say(at, "must be a boolean")
		}
	case "number", "integer":
		kind := map[any]string{"number": "a number", "integer": "an integer"}[spec["t"]]
		f, ok := v.(float64)
		if !ok || spec["t"] == "integer" && f != math.Trunc(f) {
			r.say(at, "must provide "+kind)
			return
		}
		if least, ok := number("min"); ok && f < least {
			r.say(at, fmt.Sprintf("must be greater than %.0f", least))
		}
		if most, ok := number("max"); ok && f > most {
			r.say(at, fmt.Sprintf("must be less than %.0f", most))
		}
	case "enum":
		if !slices.Contains(spec["values"].([]any), v) {
			r.say(at, "must be a valid enum value")
		}
	case "array":
		r.list(at, v, spec, home)
	case "object":
		r.refs(at, v, spec["ref"].([]any), spec, home, false)
	}
}

func (r *reading) refs(at string, v any, names []any, spec obj, home string, untyped bool) {
	can, union := map[string]obj{}, len(names) > 1
	for _, n := range names {
		found, u := r.means(home, n.(string))
		union = union || u
		for kind, def := range found {
			can[kind] = def
		}
	}
	most, bounded := spec["textMax"].(float64)
	if !bounded {
		r.any(at, v, can, union, untyped)
		return
	}
	if _, ok := v.(obj); !ok {
		r.say(at, "must provide an object")
		return
	}
	before := len(r.told)
	r.any(at, v, can, union, untyped, most)
	if len(r.told) > before {
		r.say(at, "failed to match all allowed schemas")
	}
}

func (r *reading) list(at string, v any, spec obj, home string) {
	items, ok := v.([]any)
	if !ok {
		r.say(at, "must provide an array")
		return
	}
	if least, ok := spec["minItems"].(float64); ok && len(items) < int(least) {
		r.say(at, fmt.Sprintf("must provide at least %v items", least))
	}
	if most, ok := spec["maxItems"].(float64); ok && len(items) > int(most) {
		r.say(at, fmt.Sprintf("no more than %v items allowed", most))
		return
	}
	for i, item := range items {
		at := fmt.Sprintf("%s/%d", at, i)
		switch of := spec["of"].(type) {
		case string:
			if item == nil && of == "column_setting" {
				continue
			}
			r.refs(at, item, []any{of}, spec, home, of == "block:task_card")
		case []any:
			r.refs(at, item, of, spec, home, false)
		case obj:
			for kind, inner := range of {
				s := obj{"t": kind}
				if values, ok := inner.([]any); ok {
					s["values"] = values
				} else {
					for k, x := range inner.(obj) {
						s[k] = x
					}
				}
				r.value(at, item, s, home)
			}
		}
	}
	seen := map[string]bool{}
	for _, item := range items {
		text, _ := json.Marshal(item)
		if seen[string(text)] && spec["unique"] == true {
			r.say(at, "Input contains duplicate items")
			break
		}
		seen[string(text)] = true
	}
}

// A maker makes documents that fit the data, then breaks them.
type maker struct {
	*reading
	*rand.Rand
	ids int
}

func (g *maker) block() obj {
	names := make([]string, 0, 21)
	for name := range g.section("blocks") {
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[g.IntN(len(names))]
	return g.object(obj{"name": name, "def": g.section("blocks")[name], "section": "blocks"})
}

func (g *maker) object(pick obj) obj {
	def := pick["def"].(obj)
	out := obj{}
	if kind, ok := def["type"].(string); ok {
		out["type"] = kind
	} else if pick["section"] != "objects" && pick["name"] != "style" {
		out["type"] = pick["name"]
	}
	fields := def["fields"].(obj)
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		spec := fields[name].(obj)
		if spec["req"] != true && g.IntN(3) > 0 && !(pick["name"] == "section" && name == "text") {
			continue
		}
		switch name {
		case "block_id", "action_id":
			g.ids++
			out[name] = "id" + strconv.Itoa(g.ids)
		default:
			out[name] = g.value(spec, pick["section"].(string))
		}
	}
	return out
}

func (g *maker) value(spec obj, home string) any {
	switch spec["t"] {
	case "string":
		switch {
		case spec["format"] == "uri":
			return "https://example.com/a"
		case spec["pattern"] != nil:
			return []string{"2026-01-02", "23:59", "U123", "https://x"}[g.IntN(4)]
		}
		return "word"
	case "boolean":
		return g.IntN(2) == 0
	case "number", "integer":
		return float64(g.IntN(12) - 1)
	case "enum":
		values := spec["values"].([]any)
		return values[g.IntN(len(values))]
	case "array":
		n := 1 + g.IntN(2)
		if least, ok := spec["minItems"].(float64); ok {
			n = max(n, int(least))
		}
		out := make([]any, n)
		for i := range out {
			out[i] = g.item(spec["of"], home)
		}
		return out
	case "object":
		refs := spec["ref"].([]any)
		return g.one(refs[g.IntN(len(refs))].(string), home)
	}
	return "anything"
}

func (g *maker) item(of any, home string) any {
	switch of := of.(type) {
	case string:
		return g.one(of, home)
	case []any:
		return g.one(of[g.IntN(len(of))].(string), home)
	case obj:
		for kind, inner := range of {
			s := obj{"t": kind}
			if values, ok := inner.([]any); ok {
				s["values"] = values
			} else {
				for k, x := range inner.(obj) {
					s[k] = x
				}
			}
			return g.value(s, home)
		}
	}
	return nil
}

func (g *maker) one(name, home string) any {
	can, _ := g.means(home, name)
	kinds := make([]string, 0, len(can))
	for kind := range can {
		kinds = append(kinds, kind)
	}
	if len(kinds) == 0 {
		return obj{"type": name}
	}
	slices.Sort(kinds)
	return g.object(can[kinds[g.IntN(len(kinds))]])
}

// breakOne changes one place of a document.
func (g *maker) breakOne(v any) any {
	switch v := v.(type) {
	case obj:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 || g.IntN(6) == 0 {
			v["surprise"] = 1.0
			return v
		}
		name := names[g.IntN(len(names))]
		if g.IntN(8) == 0 {
			delete(v, name)
			return v
		}
		v[name] = g.breakOne(v[name])
		return v
	case []any:
		switch g.IntN(6) {
		case 0:
			return []any{}
		case 1:
			return slices.Repeat(v, 30/max(len(v), 1)+1)
		}
		if len(v) > 0 {
			i := g.IntN(len(v))
			v[i] = g.breakOne(v[i])
		}
		return v
	case string:
		return []any{"", strings.Repeat("é", 76), strings.Repeat("x", 3001), 7.5, true, "button"}[g.IntN(6)]
	}
	return []any{"text", -1.0, 1.5, 1e11, obj{}, []any{}}[g.IntN(6)]
}

// TestTwoReadings compares the validator with the second reading of the data,
// on documents that fit it and on broken ones.
func TestTwoReadings(t *testing.T) {
	g := &maker{reading: readData(t), Rand: rand.New(rand.NewPCG(7, 11))}
	good, seen := 0, map[string]bool{}
	for i := range 30_000 {
		doc := []any{g.block()}
		for range g.IntN(3) {
			doc[0] = g.breakOne(doc[0])
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var again []any
		if err := json.Unmarshal(raw, &again); err != nil { // what is shared in doc is not in again
			t.Fatal(err)
		}
		g.told = nil
		g.blocks(again)
		if len(g.told) >= maxMessages {
			continue
		}
		_, refused := counting().Blocks(raw)
		got := problems(refused)
		want := slices.Clone(g.told)
		slices.Sort(want)
		if !slices.Equal(got, want) && !repeatedID(got) && !totals(refused) {
			t.Fatalf("document %d: %s\n the table: %q\n the data:  %q", i, raw, got, want)
		}
		if refused == nil {
			good++
			seen[again[0].(obj)["type"].(string)] = true
		}
	}
	if good < 3000 || len(seen) < 17 {
		t.Errorf("%d documents of %d types were accepted: the maker no longer fits the data", good, len(seen))
	}
}

func problems(refused *fault.Error) []string {
	if refused == nil {
		return nil
	}
	list, _ := refused.Attrs.([]string)
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

// repeatedID reports a refusal of ids that a copied item repeats; only the
// validator counts ids.
func repeatedID(list []string) bool {
	return slices.ContainsFunc(list, func(m string) bool { return strings.HasSuffix(strings.SplitN(m, " [", 2)[0], "already exists") })
}

func totals(refused *fault.Error) bool {
	return refused != nil && (refused.Reason == BlocksTooLong || refused.Reason == InvalidAttachments)
}

// TestTheTableIsGenerated fails when blocks.json changed and table.go did not.
func TestTheTableIsGenerated(t *testing.T) {
	want, err := exec.Command("go", "run", "./gen", "blocks.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table.go is not what gen makes of blocks.json: run go generate")
	}
}
