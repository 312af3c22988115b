package verdict

import (
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/seeddoc"
)

// reader parses a document with the names of a vocabulary.
type reader struct {
	*form
	vocabulary *Vocabulary
}

// Read parses a document with the names of a vocabulary. It returns
// strict.Unknown for an unknown member, and Invalid with all problems.
func Read(n *seeddoc.Node, v *Vocabulary) (*Document, error) {
	r := &reader{&form{}, v}
	d := &Document{UsesMade: seeddoc.Refers(n, seeddoc.Made)}
	at := seeddoc.Pos{Place: n.Place}
	r.object(n, at,
		member{"from", into(&d.From, r.text)}, member{"to", into(&d.To, r.text)},
		member{"settle", func(n *seeddoc.Node, at seeddoc.Pos) { d.Settle = r.settle(n, at) }},
		member{"bind", func(n *seeddoc.Node, at seeddoc.Pos) { d.bind = r.bind(n, at) }},
		member{"answer", func(n *seeddoc.Node, at seeddoc.Pos) { text := r.text(n, at); d.answer = &text }},
		member{"expect", func(n *seeddoc.Node, at seeddoc.Pos) {
			r.list(n, at, maxExpectations, func(_ int, n *seeddoc.Node, at seeddoc.Pos) { d.expect = append(d.expect, r.expectation(n, at)) })
		}},
		member{"nothing_else", func(n *seeddoc.Node, at seeddoc.Pos) { d.nothing = r.nothingElse(n, at) }},
		member{"trajectory", func(n *seeddoc.Node, at seeddoc.Pos) {
			r.list(n, at, maxRules, func(_ int, n *seeddoc.Node, at seeddoc.Pos) { d.trajectory = append(d.trajectory, readRule(r, n, at)) })
		}})
	if len(d.expect) == 0 && d.nothing == nil && len(d.trajectory) == 0 && r.unknown == nil && len(r.problems) == 0 {
		r.Problem(at, "expects nothing: give expect, nothing_else or trajectory")
	}
	(&references{r.form, d, map[string]*kind{}}).check()
	return d, r.err()
}

func (r *reader) settle(n *seeddoc.Node, at seeddoc.Pos) *Settle {
	s := &Settle{Quiet: 150 * time.Millisecond, Timeout: 5 * time.Second}
	ms := func(to *time.Duration) func(n *seeddoc.Node, at seeddoc.Pos) {
		return func(n *seeddoc.Node, at seeddoc.Pos) {
			i := r.whole(n, at)
			if i > 60_000 {
				r.Problem(at, "must be at most 60000")
			}
			*to = time.Duration(i) * time.Millisecond
		}
	}
	r.object(n, at, member{"quiet_ms", ms(&s.Quiet)}, member{"timeout_ms", ms(&s.Timeout)})
	return s
}

func (r *reader) bind(n *seeddoc.Node, at seeddoc.Pos) map[string]any {
	if n.Kind != seeddoc.Map {
		r.Problem(at, "must be a mapping from names to what they stand for")
		return nil
	}
	out := map[string]any{}
	for _, m := range n.Members {
		if !seeddoc.IsCapture(m.Name) {
			r.Problem(below(at, m), "is no name: one has letters, digits and underscores, and is not %q", seeddoc.Made)
		}
		if _, twice := out[m.Name]; twice {
			r.Problem(below(at, m), "is given twice")
		}
		out[m.Name] = value(m.Value)
	}
	return out
}

// shared returns the members of every check.
func (r *reader) shared(c *common, at seeddoc.Pos) []member {
	c.at, c.id = at, at.Field
	return []member{{"name", into(&c.name, r.text)}, {"weight", into(&c.weight, r.weight)}, {"gate", into(&c.gate, r.flag)}}
}

func (r *reader) expectation(n *seeddoc.Node, at seeddoc.Pos) *expectation {
	e := &expectation{count: count{1, 1}, common: common{weight: 1}}
	countGiven := false
	members := append(r.subject(e),
		member{answered, func(n *seeddoc.Node, at seeddoc.Pos) {
			e.act, e.answer = setAct(r.form, e, answered, at), r.matcher(n, at)
		}},
		member{state, r.kindOf(e, state)},
		member{"count", func(n *seeddoc.Node, at seeddoc.Pos) { e.count, countGiven = r.count(n, at), true }},
		member{"shared", into(&e.shared, r.flag)},
		member{"by", func(n *seeddoc.Node, at seeddoc.Pos) { e.by = r.by(n, at) }},
		member{"as", func(n *seeddoc.Node, at seeddoc.Pos) { e.as = readName(r.form, n, at) }})
	r.object(n, at, append(members, r.shared(&e.common, at)...)...)
	r.checkSubject(e, n, at, inserted, updated, deleted, state, answered)
	switch {
	case e.act == answered && (e.where != nil || e.as != "" || countGiven || n.Member("by") != nil || e.shared):
		r.Problem(at, "answered goes with name, weight and gate alone")
	case e.act == state && (n.Member("by") != nil || e.shared):
		r.Problem(at, "state looks at what is there, whoever made it and whatever else matches it: leave by and shared out")
	}
	return e
}

// subject returns the members that select changes, for expectations and
// exceptions.
func (r *reader) subject(e *expectation) []member {
	return []member{{inserted, r.kindOf(e, inserted)}, {updated, r.kindOf(e, updated)}, {deleted, r.kindOf(e, deleted)},
		{"where", func(n *seeddoc.Node, at seeddoc.Pos) { e.where = r.where(n, at) }},
		{"change", func(n *seeddoc.Node, at seeddoc.Pos) { e.change = r.change(n, at) }},
		{"only", into(&e.only, r.flag)}}
}

// setAct sets the kind of an expectation, and reports a second one.
func setAct(r *form, e *expectation, act string, at seeddoc.Pos) string {
	if e.act != "" {
		r.Problem(at, "there is %s already: an expectation is about one thing", e.act)
	}
	return act
}

// kindOf reads the entity of an expectation.
func (r *reader) kindOf(e *expectation, act string) func(n *seeddoc.Node, at seeddoc.Pos) {
	return func(n *seeddoc.Node, at seeddoc.Pos) {
		e.act = setAct(r.form, e, act, at)
		name := r.text(n, at)
		if e.kind = r.vocabulary.byName[name]; e.kind == nil && n.Kind == seeddoc.String {
			r.Problem(at, "there is no entity %q%s; GET /admin/v1/entities lists them", name, meant(name, r.vocabulary.names()))
		}
	}
}

// checkSubject reports members of an expectation or exception that exclude each
// other.
func (r *reader) checkSubject(e *expectation, n *seeddoc.Node, at seeddoc.Pos, acts ...string) {
	if e.act == "" && n.Kind == seeddoc.Map {
		r.Problem(at, "must have one of %s", strings.Join(acts, ", "))
	}
	if e.act != updated && e.act != "" {
		for _, name := range []string{"change", "only"} {
			if n.Member(name) != nil {
				r.Problem(at, "%s goes with updated alone", name)
			}
		}
	}
	if e.kind == nil {
		return
	}
	for _, f := range e.where {
		r.checkField(e.kind, f.field, f.matcher.At)
	}
	for _, f := range e.change {
		r.checkField(e.kind, f.field, f.at)
	}
}

func (r *reader) checkField(k *kind, field string, at seeddoc.Pos) {
	if _, _, ok := k.field(field); !ok && k.entity.HasField == nil {
		names := make([]string, len(k.list))
		for i, f := range k.list {
			names[i] = f.Name
		}
		r.Problem(at, "%s has no field %q%s; there are %s", k.name(), field, meant(field, names), strings.Join(names, ", "))
	}
}

func (r *reader) where(n *seeddoc.Node, at seeddoc.Pos) (out []fieldMatch) {
	for _, m := range readFields(r.form, n, at) {
		out = append(out, fieldMatch{m.Name, r.matcher(m.Value, below(at, m))})
	}
	return out
}

func (r *reader) change(n *seeddoc.Node, at seeddoc.Pos) (out []fieldChange) {
	for _, m := range readFields(r.form, n, at) {
		there := below(at, m)
		f := fieldChange{at: there, field: m.Name}
		if m.Value.Kind != seeddoc.Null {
			readSides(r.form, m.Value, there, &f)
		}
		out = append(out, f)
	}
	return out
}

// readSides reads from and to. null is a matcher that expects null.
func readSides(r *form, n *seeddoc.Node, at seeddoc.Pos, f *fieldChange) {
	if n.Kind != seeddoc.Map {
		r.Problem(at, "must be a mapping of from and to, or null for any change")
		return
	}
	for _, m := range n.Members {
		switch m.Name {
		case "from":
			f.from = r.matcher(m.Value, below(at, m))
		case "to":
			f.to = r.matcher(m.Value, below(at, m))
		default:
			r.Unknown(below(at, m), m.Name, []string{"from", "to"})
		}
	}
}

// readFields returns the members of a mapping whose names are fields.
func readFields(r *form, n *seeddoc.Node, at seeddoc.Pos) (out []seeddoc.Member) {
	if n.Kind != seeddoc.Map {
		r.Problem(at, "must be a mapping from fields to matchers")
		return nil
	}
	for _, m := range n.Members {
		if slices.ContainsFunc(out, func(o seeddoc.Member) bool { return o.Name == m.Name }) {
			r.Problem(below(at, m), "is given twice")
			continue
		}
		out = append(out, m)
	}
	return out
}

// readName reads a name for references in later parts of a document.
func readName(r *form, n *seeddoc.Node, at seeddoc.Pos) string {
	name := r.text(n, at)
	if n.Kind == seeddoc.String && !seeddoc.IsCapture(name) {
		r.Problem(at, "is no name: one has letters, digits and underscores, and is not %q", seeddoc.Made)
	}
	return name
}

func (r *reader) nothingElse(n *seeddoc.Node, at seeddoc.Pos) *nothingElse {
	e := &nothingElse{common: common{at: at, id: at.Field, gate: true}}
	if n.Kind == seeddoc.Bool {
		if n.Scalar == "false" {
			return nil
		}
		return e
	}
	members := []member{
		{"services", func(n *seeddoc.Node, at seeddoc.Pos) {
			r.list(n, at, 20, func(_ int, n *seeddoc.Node, at seeddoc.Pos) { e.services = append(e.services, r.service(n, at)) })
		}},
		{"except", func(n *seeddoc.Node, at seeddoc.Pos) {
			r.list(n, at, maxExpectations, func(_ int, n *seeddoc.Node, at seeddoc.Pos) {
				x := &expectation{common: common{at: at, id: at.Field}}
				r.object(n, at, r.subject(x)...)
				r.checkSubject(x, n, at, inserted, updated, deleted)
				e.except = append(e.except, x)
			})
		}},
		{"consequences", func(n *seeddoc.Node, at seeddoc.Pos) { e.listed = r.choice(n, at, "allowed", "listed") }},
		{"came_and_went", func(n *seeddoc.Node, at seeddoc.Pos) { e.refused = r.choice(n, at, "allowed", "refused") }}}
	r.object(n, at, append(members, r.shared(&e.common, at)...)...)
	makeGate(&e.common, n)
	return e
}

func (r *reader) service(n *seeddoc.Node, at seeddoc.Pos) string {
	name := r.text(n, at)
	if n.Kind == seeddoc.String && !slices.Contains(r.vocabulary.services(), name) {
		r.Problem(at, "is not a service; there are %s", strings.Join(r.vocabulary.services(), ", "))
	}
	return name
}
