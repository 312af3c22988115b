package verdict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/verdict/match"
)

// captured is what an expectation matched, under the name that it gave.
type captured struct {
	kind   *kind
	things []*thing
}

// checkReferences notes references to what no earlier expectation, bind or the
// seed document makes. What the seed document made is looked up later.
func (r *reader) checkReferences(d *Document) {
	known := map[string]*kind{}
	check := func(m *match.Matcher) {
		if m == nil {
			return
		}
		m.Names(func(_, text string) { r.checkReference(d, known, m, text) })
	}
	checkAll := func(e *expectation) {
		for _, f := range e.where {
			check(f.matcher)
		}
		for _, f := range e.change {
			check(f.from)
			check(f.to)
		}
		check(e.answer)
	}
	for _, e := range d.expect {
		checkAll(e)
		if e.as == "" {
			continue
		}
		if _, twice := d.bind[e.as]; twice || known[e.as] != nil {
			r.Problem(e.at, "%q is the name of something else already", e.as)
		}
		known[e.as] = e.kind
	}
	if d.nothing != nil {
		for _, e := range d.nothing.except {
			checkAll(e)
		}
	}
	for _, rule := range d.trajectory {
		for _, s := range rule.selectors {
			for _, b := range s.body {
				check(b.matcher)
			}
		}
	}
}

func (r *reader) checkReference(d *Document, known map[string]*kind, m *match.Matcher, text string) {
	parts := reference.FindStringSubmatch(text)
	if parts == nil || parts[1] == madeName {
		return
	}
	name, path := parts[1], parts[2]
	k, isCapture := known[name]
	bound, isBound := d.bind[name]
	switch {
	case isCapture && path == "":
		r.Problem(m.At, "$%s is a whole thing: name a field of it, such as $%s.id", name, name)
	case isCapture && k != nil:
		if _, _, ok := k.field(path); !ok && path != "key" && k.entity.HasField == nil {
			r.Problem(m.At, "%s has no field %q", k.name(), path)
		}
	case isCapture:
	case isBound:
		if _, ok := follow(bound, path); !ok {
			r.Problem(m.At, "bind has nothing at %s", text[1:])
		}
	default:
		r.Problem(m.At, "nothing before this is called %q: name it with as or bind, or write $$ for a text that begins with $", name)
	}
}

// follow returns what stands at a path of members and places in lists.
func follow(v any, path string) (any, bool) {
	if path == "" {
		return v, true
	}
	v = match.Normal(v)
	if object, ok := v.(map[string]any); ok {
		if found, ok := object[path]; ok {
			return found, true
		}
	}
	first, rest, _ := strings.Cut(path, ".")
	switch v := v.(type) {
	case map[string]any:
		if found, ok := v[first]; ok {
			return follow(found, rest)
		}
	case []any:
		if i, err := strconv.Atoi(first); err == nil && i >= 0 && i < len(v) {
			return follow(v[i], rest)
		}
	}
	return nil, false
}

// unbound is why an expectation cannot be met: what it refers to is not there.
type unbound struct{ error }

// bind replaces the captures and names in the matcher of a field. It returns
// unbound for a capture of nothing.
func (e *evaluation) bind(m *match.Matcher, f diff.Field) (*match.Matcher, error) {
	return m.Bind(func(op, text string) ([]any, any, error) {
		whole := match.Whole(op)
		if rest, ok := strings.CutPrefix(text, "$$"); ok {
			return []any{"$" + rest}, "$" + rest, nil
		}
		if parts := reference.FindStringSubmatch(text); parts != nil {
			values, err := e.refer(parts[1], parts[2])
			if err != nil {
				return nil, nil, err
			}
			if text, isText := values[0].(string); isText && whole && f.Refers != "" && len(values) == 1 {
				if got, err := e.names.find(f.Refers, text); err != nil {
					return nil, nil, err
				} else if len(got.values) > 0 {
					return got.values, text, nil
				}
			}
			switch {
			case len(values) > 1 && op != "any_of" && op != "none_of":
				return nil, nil, unbound{fmt.Errorf("%s stands for %d things, which only any_of and none_of take", text, len(values))}
			case len(values) > 1:
				return values, values, nil
			}
			return values, values[0], nil
		}
		if !whole || f.Refers == "" || text == "" {
			return nil, nil, nil
		}
		got, err := e.names.find(f.Refers, text)
		if err != nil || len(got.values) == 0 {
			return nil, nil, err
		}
		return got.values, text, nil
	})
}

// refer returns what a reference stands for: one value, or those of all things
// that an expectation matched.
func (e *evaluation) refer(name, path string) ([]any, error) {
	if c := e.captures[name]; c != nil {
		if len(c.things) == 0 {
			return nil, unbound{fmt.Errorf("nothing was matched as %s", name)}
		}
		values := make([]any, len(c.things))
		for i, t := range c.things {
			v, err := e.field(t, path)
			if err != nil {
				return nil, err
			}
			values[i] = match.Normal(v)
		}
		return values, nil
	}
	if name == madeName {
		if v, ok := follow(e.made, path); ok {
			return []any{match.Normal(v)}, nil
		}
		return nil, unbound{errors.New("the seed document made nothing that is called " + path)}
	}
	v, ok := follow(e.doc.bind[name], path)
	if !ok {
		return nil, unbound{fmt.Errorf("bind has nothing at %s.%s", name, path)}
	}
	return []any{match.Normal(v)}, nil
}

// checkMade notes references to what the seed document did not make.
func (e *evaluation) checkMade(r *reader, m *match.Matcher) {
	m.Names(func(_, text string) {
		if parts := reference.FindStringSubmatch(text); parts != nil && parts[1] == madeName {
			if _, ok := follow(e.made, parts[2]); !ok {
				r.Problem(m.At, "the seed document made nothing that is called %q", parts[2])
			}
		}
	})
}
