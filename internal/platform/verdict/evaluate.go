package verdict

import (
	"context"
	"slices"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/verdict/match"
)

const (
	maxChanges = 100_000
	maxRows    = 100_000
	maxBytes   = 256 << 20 // of changes
)

// World is the input of an evaluation.
type World struct {
	Reading *diff.Reading
	Source  Source         // nil: unknown, so that all changes count as the agent's
	Now     time.Time      // on the environment's clock
	Made    map[string]any // what the seed documents created; nil if the document does not use it
}

// patience is how long an evaluation may take.
const patience = time.Minute

// scope is the context of a document's conditions.
type scope struct {
	ctx      context.Context
	reading  *diff.Reading
	env      match.Env
	names    *lookup
	bound    map[string]any                             // the document's bindings
	made     any                                        // what the seed documents created
	captures map[string]*captured                       // by the names of expectations
	computes map[computedField]func(map[string]any) any // cache of computed
	unsure   bool                                       // what the current expectation refers to is uncertain
}

// evaluation is the state of Evaluate.
type evaluation struct {
	*scope
	doc     *Document
	source  Source
	changes []*change // inserts, updates and deletes, each sorted by key
	byKind  map[*kind][]*change
}

// Evaluate evaluates a document. It returns Invalid for unknown names,
// TooManyChanges and TooManyRows, and the errors of reading.
func Evaluate(ctx context.Context, d *Document, v *Vocabulary, w World) (*Verdict, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, TooLong)
	defer cancel()
	e := &evaluation{doc: d, source: w.Source, byKind: map[*kind][]*change{}, scope: &scope{ctx: ctx, reading: w.Reading, env: match.Env{Now: w.Now},
		names: &lookup{v, w.Reading, map[[2]string]named{}}, bound: d.bind, captures: map[string]*captured{}, computes: map[computedField]func(map[string]any) any{}}}
	if e.source == nil {
		e.source = unknownSource{}
	}
	var err error
	if w.Made != nil {
		e.made = w.Made
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := e.compare(v); err != nil {
		return nil, err
	}
	requests, complete := e.source.Requests(d.readsBodies())
	c := &course{e.scope, requests, complete}
	out := &Verdict{Checks: []Check{}, Recording: Recording{Complete: complete, Requests: c.byAgent()}}
	for _, x := range d.expect {
		one, err := e.expect(x)
		if err != nil {
			return nil, err
		}
		out.Checks = append(out.Checks, one)
	}
	rest := &remainder{evaluation: e, nothingElse: d.nothing, bound: map[*expectation]*tests{}, together: map[*kind]*together{}}
	one, err := rest.decide()
	if err != nil {
		return nil, err
	}
	if d.nothing != nil {
		out.Checks = append(out.Checks, one)
	}
	for _, r := range d.trajectory {
		one, err := c.rule(r)
		if err != nil {
			return nil, err
		}
		out.Checks = append(out.Checks, one)
	}
	out.Counts = rest.counts
	out.decide()
	return out, nil
}

// alive returns an error when the caller has gone, or the evaluation takes too
// long.
func (e *scope) alive() error {
	if e.ctx.Err() == nil {
		return nil
	}
	return context.Cause(e.ctx)
}

// check returns Invalid with the unknown fields and names.
func (e *evaluation) check() error {
	r := &form{}
	all := slices.Clone(e.doc.expect)
	if e.doc.nothing != nil {
		all = append(all, e.doc.nothing.except...)
	}
	for _, x := range all {
		if err := e.checkOne(r, x); err != nil {
			return err
		}
	}
	for _, rule := range e.doc.trajectory {
		for _, s := range rule.selectors {
			if err := e.names.people(r, &s.by); err != nil {
				return err
			}
		}
	}
	return refuse(r.problems)
}

func (e *evaluation) checkOne(r *form, x *expectation) error {
	if x.answer != nil {
		e.checkMade(r, x.answer)
	}
	for _, f := range x.where {
		e.checkMade(r, f.matcher)
		if err := e.names.check(r, x.kind, f.field, f.matcher, f.matcher.At); err != nil {
			return err
		}
	}
	for _, f := range x.change {
		for _, m := range []*match.Matcher{f.from, f.to} {
			if m != nil {
				e.checkMade(r, m)
			}
			if err := e.names.check(r, x.kind, f.field, m, f.at); err != nil {
				return err
			}
		}
	}
	return e.names.people(r, &x.by)
}

// compare reads the changes.
func (e *evaluation) compare(v *Vocabulary) error {
	found, err := e.reading.Compare(diff.Options{Limit: maxChanges + 1, Bytes: maxBytes, Whole: true})
	if err != nil {
		return err
	}
	if found.Next != "" || len(found.Inserts)+len(found.Updates)+len(found.Deletes) > maxChanges {
		return TooManyChanges
	}
	for _, l := range []struct {
		op   string
		list []diff.Change
	}{{"insert", found.Inserts}, {"update", found.Updates}, {"delete", found.Deletes}} {
		for i := range l.list {
			ch := &l.list[i]
			k := v.byName[ch.Service+"."+ch.Entity]
			if k == nil {
				continue
			}
			c := &change{thing: thing{kind: k, key: ch.Key, fields: ch.After}, diff: ch, op: l.op}
			if ch.Deleted() {
				c.fields, c.isBefore = ch.Before, true
			}
			c.writers, c.exact, c.complete = e.source.Writers(ch)
			e.changes = append(e.changes, c)
			e.byKind[k] = append(e.byKind[k], c)
		}
	}
	return nil
}

// decide computes the result from the checks.
func (v *Verdict) decide() {
	v.Verdict = Passed
	var got, all float64
	gated, whole := false, true
	for _, c := range v.Checks {
		all += c.Weight
		switch {
		case c.Passed == nil:
			whole = false
			if v.Verdict == Passed {
				v.Verdict = Unknown
			}
		case *c.Passed:
			got += c.Weight
		default:
			whole = false
			v.Verdict = Failed
			gated = gated || c.Gate
		}
	}
	switch {
	case gated:
		v.Score = 0
	case all > 0:
		v.Score = got / all
	case whole:
		v.Score = 1
	}
}

// result returns the check for an expectation or rule.
func (c *common) result(passed *bool, message string, ev Evidence) Check {
	return Check{ID: c.id, Name: c.name, Passed: passed, Weight: c.weight, Gate: c.gate, Message: message, Evidence: ev}
}

func decided(b bool) *bool { return &b }
