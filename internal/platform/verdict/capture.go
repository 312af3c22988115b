package verdict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/verdict/match"
)

// captured holds what an expectation matched, under the name that it defines.
type captured struct {
	kind   *kind
	things []*thing
	unsure bool // whether the selected actors made them is unknown
}

// references checks that references come after what they refer to.
type references struct {
	*form
	doc   *Document
	known map[string]*kind // the names defined by earlier expectations
}

// check reports references to names that no earlier expectation, bind or seed
// document defines. The names of seed documents are resolved later.
func (r *references) check() {
	for _, e := range r.doc.expect {
		r.ofExpectation(e)
		if e.as == "" {
			continue
		}
		_, bound := r.doc.bind[e.as]
		if _, twice := r.known[e.as]; twice || bound {
			r.Problem(e.at, "%q is the name of something else already", e.as)
		}
		r.known[e.as] = e.kind
	}
	if r.doc.nothing != nil {
		for _, e := range r.doc.nothing.except {
			r.ofExpectation(e)
		}
	}
	for _, rule := range r.doc.trajectory {
		for _, s := range rule.selectors {
			for _, b := range s.body {
				r.ofMatcher(b.matcher)
			}
		}
	}
}

func (r *references) ofExpectation(e *expectation) {
	e.matchers(func(m *match.Matcher) { r.ofMatcher(m) })
}

func (r *references) ofMatcher(m *match.Matcher) {
	m.Names(func(_, text string) { r.one(m.At, text) })
}

// matchers calls f with each matcher of an expectation.
func (e *expectation) matchers(f func(*match.Matcher)) {
	all := []*match.Matcher{e.answer}
	for _, w := range e.where {
		all = append(all, w.matcher)
	}
	for _, c := range e.change {
		all = append(all, c.from, c.to)
	}
	for _, m := range all {
		if m != nil {
			f(m)
		}
	}
}

func (r *references) one(at seeddoc.Pos, text string) {
	name, path, ok := seeddoc.Reference(text)
	if !ok || name == seeddoc.Made {
		return
	}
	k, isCapture := r.known[name]
	bound, isBound := r.doc.bind[name]
	switch {
	case isCapture && path == "":
		r.Problem(at, "$%s is a whole thing: name a field of it, such as $%s.id", name, name)
	case isCapture && k != nil:
		if _, _, ok := k.field(path); !ok && path != "key" && k.entity.HasField == nil {
			r.Problem(at, "%s has no field %q", k.name(), path)
		}
	case isCapture: // of an unknown entity, which is reported elsewhere
	case isBound:
		if _, ok := follow(bound, path); !ok {
			r.Problem(at, "bind has nothing at %s", text[1:])
		}
	default:
		r.Problem(at, "nothing before this is called %q: name it with as or bind, or write $$ for a text that begins with $", name)
	}
}

// follow returns the value at a path of members and indexes.
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

// unbound means that an expectation refers to something that does not exist.
type unbound struct{ error }

// bind replaces the captures and names in the matcher of a field. It returns
// unbound for an empty capture.
func (e *scope) bind(m *match.Matcher, f diff.Field) (*match.Matcher, error) {
	return m.Bind(func(op, text string) ([]any, any, error) {
		whole := match.Whole(op)
		if plain, ok := seeddoc.Unescaped(text); ok {
			return []any{plain}, plain, nil
		}
		if name, path, ok := seeddoc.Reference(text); ok {
			values, err := e.refer(name, path)
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
				return nil, nil, unbound{fmt.Errorf("%s stands for %d things; only any_of and none_of accept more than one", text, len(values))}
			case len(values) > 1:
				return values, values, nil
			}
			return values, values[0], nil
		}
		if !whole || f.Refers == "" || text == "" {
			if whole {
				return match.Alike(f.Type, text), text, nil
			}
			return nil, nil, nil
		}
		got, err := e.names.find(f.Refers, text)
		if err != nil || len(got.values) == 0 {
			return nil, nil, err
		}
		return got.values, text, nil
	})
}

// refer returns the values of a reference: one, or those of all things that an
// expectation matched.
func (e *scope) refer(name, path string) ([]any, error) {
	if c := e.captures[name]; c != nil {
		if len(c.things) == 0 {
			return nil, unbound{fmt.Errorf("nothing was matched as %s", name)}
		}
		e.unsure = e.unsure || c.unsure
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
	if name == seeddoc.Made {
		if v, ok := follow(e.made, path); ok {
			return []any{match.Normal(v)}, nil
		}
		return nil, unbound{errors.New("the seed document made nothing that is called " + path)}
	}
	v, ok := follow(e.bound[name], path)
	if !ok {
		return nil, unbound{fmt.Errorf("bind has nothing at %s.%s", name, path)}
	}
	return []any{match.Normal(v)}, nil
}

// checkMade reports references to names that the seed document did not create.
func (e *scope) checkMade(r *form, m *match.Matcher) {
	m.Names(func(_, text string) {
		if name, path, ok := seeddoc.Reference(text); ok && name == seeddoc.Made {
			if _, ok := follow(e.made, path); !ok {
				r.Problem(m.At, "the seed document made nothing that is called %q", path)
			}
		}
	})
}
