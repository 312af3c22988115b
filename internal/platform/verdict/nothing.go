package verdict

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/record"
)

// ingestion is the service whose changes never count: it contains the agent's own
// traces.
const ingestion = "ingest"

// remainder holds the changes that no expectation matched.
type remainder struct {
	*evaluation
	*nothingElse
	counts   Counts
	bound    map[*expectation]*tests // of exceptions; nil for one that refers to something that does not exist
	together map[*kind]*together
}

// together indexes the changes of a kind by the requests that wrote them.
type together struct {
	bySeq   map[int64][]int
	unknown []int // changes without known requests
}

// decide checks whether the agent made changes that no expectation matched. It
// counts them even if the document allows them.
func (e *remainder) decide() (Check, error) {
	n := e.nothingElse
	if n == nil {
		n = &nothingElse{}
	}
	e.counts.Changes = len(e.changes)
	var left, perhaps []*change
	roots := map[*change]bool{}
	for _, c := range e.changes {
		if err := e.alive(); err != nil {
			return Check{}, err
		}
		whose := c.whose(by{})
		ignored, err := e.isExcepted(n, c)
		if err != nil {
			return Check{}, err
		}
		switch {
		case c.taken:
			e.counts.Matched++
			roots[c] = true
		case ignored, whose == no && !isDerived(c), !n.counts(c.kind.service):
			e.counts.Ignored++
			roots[c] = ignored
		case isDerived(c):
			e.counts.Consequences++
		case whose == maybe:
			perhaps = append(perhaps, c)
		default:
			left = append(left, c)
		}
	}
	if !n.listed {
		var err error
		if left, perhaps, err = e.withoutConsequences(roots, left, perhaps); err != nil {
			return Check{}, err
		}
	}
	e.counts.Left = len(left) + len(perhaps)
	went, known, err := e.cameAndWent(n)
	if err != nil {
		return Check{}, err
	}
	e.counts.CameAndWent = len(went)
	var ev Evidence
	for _, c := range left[:min(len(left), maxEvidence)] {
		ev.Left = append(ev.Left, c.shown())
	}
	switch {
	case len(left) > 0:
		return n.result(decided(false), plural(len(left), "change")+" that nothing expects", ev), nil
	case len(perhaps) > 0:
		for _, c := range perhaps[:min(len(perhaps), maxEvidence)] {
			ev.Left = append(ev.Left, c.shown())
		}
		return n.result(nil, fmt.Sprintf("it is not known by whom %s were made", plural(len(perhaps), "change")), ev), nil
	case n.refused && len(went) > 0:
		ev.Left = went[:min(len(went), maxEvidence)]
		things := plural(len(went), "thing")
		if !known {
			things = "at least " + things
		}
		return n.result(decided(false), "the agent removed again what it had made: "+things, ev), nil
	case n.refused && !known:
		return n.result(nil, "it is not known what was made and removed again", ev), nil
	}
	return n.result(decided(true), "", ev), nil
}

// opGone is the operation of things that were created and deleted again.
const opGone = "came_and_went"

// cameAndWent returns the things that the agent created and deleted again, except
// kinds that are excepted as a whole; known reports that the list is complete.
func (e *remainder) cameAndWent(n *nothingElse) (list []Thing, known bool, err error) {
	found, known, err := e.reading.CameAndWent(uint8(record.Agent))
	for _, x := range found {
		if !n.counts(x.Service) || slices.ContainsFunc(n.except, func(o *expectation) bool {
			return o.act == inserted && len(o.where) == 0 && o.kind.name() == x.Service+"."+x.Entity
		}) {
			continue
		}
		by, _, _ := e.source.Writers(&diff.Change{Cause: &diff.Cause{Writers: []diff.Writer{{Seq: x.Seq, Kind: uint8(record.Agent)}}}})
		list = append(list, Thing{Op: opGone, Service: x.Service, Entity: x.Entity, Key: x.Key, Cause: calls(by)})
	}
	return list, known, err
}

// counts reports whether changes of a service count.
func (n *nothingElse) counts(service string) bool {
	return service != ingestion && (n.services == nil || slices.Contains(n.services, service))
}

// isDerived reports whether a change updates only derived fields.
func isDerived(c *change) bool { return c.op == "update" && len(c.intended()) == 0 }

// isExcepted reports whether an exception matches a change.
func (e *remainder) isExcepted(n *nothingElse, c *change) (bool, error) {
	for _, x := range n.except {
		if x.kind != c.kind || ops[x.act] != c.op {
			continue
		}
		t, err := e.testsOf(x)
		if err != nil {
			return false, err
		}
		if t == nil {
			continue
		}
		failed, _, err := e.failures(t, c)
		if err != nil || len(failed) == 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// testsOf returns the conditions of an exception, nil if it refers to something
// that does not exist.
func (e *remainder) testsOf(x *expectation) (*tests, error) {
	if t, known := e.bound[x]; known {
		return t, nil
	}
	t, err := e.tests(x)
	var missing unbound
	switch {
	case errors.As(err, &missing):
		t = nil
	case err != nil:
		return nil, err
	default:
		t.by = by{kind: anyone}
	}
	e.bound[x] = t
	return t, nil
}

// withoutConsequences drops the changes that, as declared, are consequences of
// another change of the same request: of an expected one, or of one that remains.
// Of two changes that cause each other one remains.
func (e *remainder) withoutConsequences(roots map[*change]bool, left, perhaps []*change) (stays, mayStay []*change, err error) {
	parents := map[*change]*change{}
	for _, c := range slices.Concat(left, perhaps) {
		if err := e.alive(); err != nil {
			return nil, nil, err
		}
		if cause := e.causeOf(c, roots, parents); cause != nil {
			parents[c] = cause
			e.counts.Consequences++
		}
	}
	follows := func(c *change) bool { return parents[c] != nil }
	return slices.DeleteFunc(left, follows), slices.DeleteFunc(perhaps, follows), nil
}

// causeOf returns the change that caused c, preferably an expected one; nil for
// none.
func (e *remainder) causeOf(c *change, roots map[*change]bool, parents map[*change]*change) (found *change) {
	for _, rule := range c.kind.entity.Consequences {
		for _, k := range e.names.vocabulary.causes(c.kind, rule) {
			for other := range e.writtenWith(k, c) {
				if other == c || rule.Holds != nil && !rule.Holds(c.diff, other.diff) || leads(other, c, parents) {
					continue
				}
				if roots[other] {
					return other
				}
				if found == nil {
					found = other
				}
			}
		}
	}
	return found
}

// leads reports whether a change was caused by another, directly or indirectly.
func leads(from, to *change, parents map[*change]*change) bool {
	for ; from != nil; from = parents[from] {
		if from == to {
			return true
		}
	}
	return false
}

// writtenWith returns the changes of a kind that were written by a request that
// also wrote c, sorted. If the requests are unknown, it returns all.
func (e *remainder) writtenWith(k *kind, c *change) iter.Seq[*change] {
	all := e.byKind[k]
	if len(c.writers) == 0 {
		return slices.Values(all)
	}
	of := e.together[k]
	if of == nil {
		of = &together{bySeq: map[int64][]int{}}
		for i, one := range all {
			if len(one.writers) == 0 {
				of.unknown = append(of.unknown, i)
			}
			for _, w := range one.writers {
				of.bySeq[w.Seq] = append(of.bySeq[w.Seq], i)
			}
		}
		e.together[k] = of
	}
	places := slices.Clone(of.unknown)
	for _, w := range c.writers {
		places = append(places, of.bySeq[w.Seq]...)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	return func(yield func(*change) bool) {
		for _, i := range places {
			if !yield(all[i]) {
				return
			}
		}
	}
}
