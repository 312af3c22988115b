package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/verdict/match"
)

// verbs are the participles of expectations, for messages.
var verbs = map[string]string{inserted: "inserted", updated: "updated", deleted: "deleted", state: "there"}

// ops are the operations of the changes in expectations.
var ops = map[string]string{inserted: "insert", updated: "update", deleted: "delete"}

// tests are the conditions of an expectation with captures and names replaced.
type tests struct {
	where  []boundField
	change []boundField
	only   bool
	by     by
}

// boundField is the expectation of a field, of its value before or after.
type boundField struct {
	field  string
	shown  string // the field's name in differences
	before bool
	want   *match.Matcher // nil for any change
}

// expect evaluates one expectation.
func (e *evaluation) expect(x *expectation) (Check, error) {
	if x.act == answered {
		return e.answered(x)
	}
	e.unsure = false
	t, err := e.tests(x)
	var missing unbound
	if errors.As(err, &missing) {
		if x.as != "" {
			e.captures[x.as] = &captured{kind: x.kind}
		}
		return x.result(decided(x.count.holds(0)), missing.Error(), Evidence{}), nil
	}
	if err != nil {
		return Check{}, err
	}
	if x.act == state {
		return e.state(x, t)
	}
	var sure, perhaps []*change
	var near nearest
	for _, c := range e.byKind[x.kind] {
		if c.op != ops[x.act] || c.taken && !x.shared {
			continue
		}
		if err := e.alive(); err != nil {
			return Check{}, err
		}
		failed, total, err := e.failures(t, c)
		if err != nil {
			return Check{}, err
		}
		whose := c.whose(x.by)
		if whose == no {
			failed = append(failed, Difference{"by", x.by.String(), authors(c.writers)})
		}
		switch {
		case len(failed) > 0:
			near.add(total-len(failed), Near{Key: c.key, Failed: failed, Cause: calls(c.writers)})
		case whose == yes:
			sure = append(sure, c)
		default:
			perhaps = append(perhaps, c)
		}
	}
	return e.counted(x, sure, perhaps, near), nil
}

// counted evaluates an expectation, given the changes that certainly and possibly
// match.
func (e *evaluation) counted(x *expectation, sure, perhaps []*change, near nearest) Check {
	if x.count.most != 0 {
		for _, c := range sure {
			c.taken = true
		}
	}
	var ev Evidence
	for _, c := range sure[:min(len(sure), maxEvidence)] {
		ev.Matched = append(ev.Matched, c.shown())
	}
	n := len(sure)
	if x.as != "" {
		got := &captured{kind: x.kind, unsure: e.unsure}
		if len(sure) == 0 {
			sure, got.unsure = perhaps, got.unsure || len(perhaps) > 0
		}
		for _, c := range sure {
			got.things = append(got.things, &c.thing)
		}
		e.captures[x.as] = got
	}
	return e.verdictOf(x, n, len(perhaps), ev, near)
}

// verdictOf evaluates an expectation, given the numbers of things that certainly
// and possibly match.
func (e *evaluation) verdictOf(x *expectation, sure, perhaps int, ev Evidence, near nearest) Check {
	can, must := x.count.decides(sure, sure+perhaps)
	switch {
	case must:
		return x.result(decided(true), "", ev)
	case e.unsure:
		return x.result(nil, "it refers to something of which it is not known by whom it was made", ev)
	case can:
		return x.result(nil, fmt.Sprintf("it is not known by whom %d of them were %s", perhaps, verbs[x.act]), ev)
	}
	message := fmt.Sprintf("%s matched, wanted %s", plural(sure, x.kind.sort), x.count)
	if sure == 0 {
		message = "no " + x.kind.sort + " matched"
		if ev.Near = near.shown(); len(near.list) == 0 {
			message = fmt.Sprintf("no %s was %s", x.kind.sort, verbs[x.act])
		} else {
			message += "; the nearest differs in " + fieldsOf(near.list[0].Failed)
		}
	}
	return x.result(decided(false), message, ev)
}

func (c count) String() string {
	switch {
	case c.most < 0:
		return fmt.Sprintf("at least %d", c.least)
	case c.least == c.most:
		return fmt.Sprintf("exactly %d", c.least)
	case c.least == 0:
		return fmt.Sprintf("at most %d", c.most)
	}
	return fmt.Sprintf("%d to %d", c.least, c.most)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func fieldsOf(failed []Difference) string {
	names := make([]string, len(failed))
	for i, f := range failed {
		names[i] = f.Field
	}
	return strings.Join(names, ", ")
}

func authors(writers []Writer) any {
	var out []any
	for _, w := range writers {
		if !slices.Contains(out, any(w.Actor.Kind)) {
			out = append(out, w.Actor.Kind)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}

func (c *change) shown() Thing {
	return Thing{Op: c.op, Service: c.kind.service, Entity: c.kind.sort, Key: c.key, Cause: calls(c.writers)}
}

// tests returns the conditions of an expectation. It returns unbound for a
// reference to something that does not exist.
func (e *evaluation) tests(x *expectation) (t *tests, err error) {
	t = &tests{only: x.only, by: x.by}
	add := func(to *[]boundField, field, shown string, before bool, m *match.Matcher) error {
		f, _, _ := x.kind.field(field)
		want, err := e.bind(m, f)
		*to = append(*to, boundField{field, shown, before, want})
		return err
	}
	for _, f := range x.where {
		if err := add(&t.where, f.field, f.field, x.act == deleted, f.matcher); err != nil {
			return nil, err
		}
	}
	for _, f := range x.change {
		t.change = append(t.change, boundField{field: f.field, shown: "change." + f.field})
		for _, side := range []struct {
			name   string
			before bool
			m      *match.Matcher
		}{{".from", true, f.from}, {".to", false, f.to}} {
			if side.m == nil {
				continue
			}
			if err := add(&t.change, f.field, "change."+f.field+side.name, side.before, side.m); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// failures returns the failed conditions of a change, and the number of all
// conditions.
func (e *evaluation) failures(t *tests, c *change) (failed []Difference, total int, err error) {
	total = len(t.where) + len(t.change) + 1
	before := c.thing
	before.fields, before.isBefore, before.plain = c.diff.Before, true, nil
	for _, list := range [][]boundField{t.where, t.change} {
		for _, b := range list {
			of := &c.thing
			if b.before {
				of = &before
			}
			if b.want == nil {
				if !c.changed(b.field) {
					failed = append(failed, Difference{b.shown, "changed", "unchanged"})
				}
				continue
			}
			if err := e.compareField(of, b, &failed); err != nil {
				return nil, 0, err
			}
		}
	}
	if c.op != "update" {
		return failed, total, nil
	}
	if len(t.change) == 0 && len(c.intended()) == 0 {
		failed = append(failed, Difference{"changed", "a field that is not derived", c.diff.Changed})
	}
	if t.only {
		for _, f := range c.changedBy(t.by) {
			if !slices.ContainsFunc(t.change, func(b boundField) bool { return f == b.field || strings.HasPrefix(b.field, f+".") }) {
				failed = append(failed, Difference{f, "unchanged", "changed"})
			}
		}
	}
	return failed, total, nil
}

// changed reports whether a field, or a member of it, changed.
func (c *change) changed(field string) bool {
	if slices.Contains(c.diff.Changed, field) {
		return true
	}
	f, path, ok := c.kind.field(field)
	if !ok || len(path) == 0 || !slices.Contains(c.diff.Changed, f.Name) {
		return false
	}
	a, _ := follow(c.diff.Before[f.Name], strings.Join(path, "."))
	b, _ := follow(c.diff.After[f.Name], strings.Join(path, "."))
	return match.Text(a) != match.Text(b)
}

func (e *evaluation) compareField(t *thing, b boundField, failed *[]Difference) error {
	v, err := e.field(t, b.field)
	if err == nil && !b.want.Matches(v, e.env) {
		*failed = append(*failed, Difference{b.shown, b.want, match.Normal(v)})
	}
	return err
}

// nearest holds the things that met the most conditions.
type nearest struct {
	list   []Near
	scores []int
}

func (n *nearest) add(score int, one Near) {
	at := len(n.list)
	for at > 0 && n.scores[at-1] < score {
		at--
	}
	if at >= maxNear {
		return
	}
	n.list, n.scores = slices.Insert(n.list, at, one), slices.Insert(n.scores, at, score)
	if len(n.list) > maxNear {
		n.list, n.scores = n.list[:maxNear], n.scores[:maxNear]
	}
}

// shown returns them in the form of evidence.
func (n *nearest) shown() []Near {
	for i := range n.list {
		failed := slices.Clone(n.list[i].Failed[:min(len(n.list[i].Failed), maxEvidence)])
		for j := range failed {
			failed[j].Wanted, failed[j].Found = shortened(failed[j].Wanted), shortened(failed[j].Found)
		}
		n.list[i].Failed = failed
	}
	return n.list
}

// state evaluates an expectation of the final state.
func (e *evaluation) state(x *expectation, t *tests) (Check, error) {
	var ev Evidence
	var near nearest
	got := &captured{kind: x.kind}
	rows, n := 0, 0
	err := e.reading.Each(x.kind.entity, func(r diff.Record) error {
		if err := e.alive(); err != nil {
			return err
		}
		if r.Entity != x.kind.sort || r.Service != x.kind.service {
			return nil
		}
		if rows++; rows > maxRows {
			return TooManyRows.Detailf("There are more than %d rows of %s.", maxRows, x.kind.name())
		}
		one := &thing{kind: x.kind, key: r.Key, fields: r.Fields}
		var failed []Difference
		for _, b := range t.where {
			if err := e.compareField(one, b, &failed); err != nil {
				return err
			}
		}
		if len(failed) > 0 {
			near.add(len(t.where)-len(failed), Near{Key: r.Key, Failed: failed})
			return nil
		}
		n++
		if len(ev.Matched) < maxEvidence {
			ev.Matched = append(ev.Matched, Thing{Service: x.kind.service, Entity: x.kind.sort, Key: r.Key})
		}
		if x.as != "" {
			got.things = append(got.things, one)
		}
		return nil
	})
	if err != nil {
		return Check{}, err
	}
	if x.as != "" {
		e.captures[x.as] = got
	}
	return e.verdictOf(x, n, 0, ev, near), nil
}

// answered evaluates an expectation of the answer, which is null if there was
// none.
func (e *evaluation) answered(x *expectation) (Check, error) {
	m, err := e.bind(x.answer, diff.Field{})
	var missing unbound
	switch {
	case errors.As(err, &missing):
		return x.result(decided(false), missing.Error(), Evidence{}), nil
	case err != nil:
		return Check{}, err
	case e.doc.answer == nil && m.Matches(nil, e.env):
		return x.result(decided(true), "", Evidence{}), nil
	case e.doc.answer == nil:
		return x.result(decided(false), "no answer was given", Evidence{}), nil
	}
	answer := cut(*e.doc.answer)
	ev := Evidence{Answer: &answer}
	if m.Matches(*e.doc.answer, e.env) {
		return x.result(decided(true), "", ev), nil
	}
	return x.result(decided(false), "the answer is another one than "+cut(match.Text(m)), ev), nil
}
