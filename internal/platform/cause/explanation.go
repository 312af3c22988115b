package cause

import (
	"cmp"
	"slices"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// explanation finds the writes of one row among the changes with its numbers, the
// oldest first.
type explanation struct {
	*span
	before, after []noted // changes with the row's numbers in the two states
	any           []noted // changes that may concern this row
	inside        bool    // one of several things in a row
	inserts       []noted // inserts of such things, in the order of their numbers
}

// of returns the writes of a row; exact reports that the list is complete and
// contains no others, complete that it lacks none.
func (e *explanation) of(r diff.Origin) (list []noted, exact, complete bool) {
	switch {
	case e.inside:
		list, exact = e.ofThing(r)
	case e.stated:
		return e.candidates()
	default:
		list, exact = e.ofRow(r)
	}
	return list, exact, exact
}

// ofRow returns the writes of a row whose changes were recorded one by one.
func (e *explanation) ofRow(r diff.Origin) (list []noted, exact bool) {
	exact = e.whole && e.ended
	same := r.Before != nil && r.After != nil && *r.Before == *r.After
	if r.After != nil {
		born, since := e.birth()
		list = e.after[born:]
		wasBorn := len(list) > 0 && list[0].Op == store.Inserted
		switch {
		case wasBorn && r.Before == nil:
			exact = e.ended // earlier changes do not matter
		case !wasBorn && (!same || since > e.from):
			made := e.bulkBetween(since, list)
			exact = exact && len(made) == 1
			list = slices.Concat(made, list)
		}
	}
	if r.Before != nil {
		gone := slices.IndexFunc(e.before, func(n noted) bool { return n.Op == store.Deleted })
		switch {
		case gone >= 0:
			list = merge(list, e.before[:gone+1])
		case !same:
			list = merge(list, e.before)
		}
	}
	return list, exact && len(list) > 0
}

// birth returns the index of the first change of the newer row, and the place
// after which it may have been inserted: another row with the same number may
// have been deleted before.
func (e *explanation) birth() (index int, since int64) {
	for i, n := range slices.Backward(e.after) {
		switch n.Op {
		case store.Inserted:
			return i, n.place
		case store.Deleted:
			return i + 1, n.place + 1
		}
	}
	return 0, e.from
}

// bulkBetween returns the bulk writes from a place to the first of list.
func (e *explanation) bulkBetween(since int64, list []noted) (out []noted) {
	for _, n := range e.bulk {
		if n.place >= since && (len(list) == 0 || n.place < list[0].place) {
			out = append(out, n)
		}
	}
	return out
}

// candidates returns every write that may have changed a row whose changes were
// recorded by statement. They are exact if all are of one request.
func (e *explanation) candidates() (list []noted, exact, complete bool) {
	list = merge(merge(e.before, e.after), merge(e.any, e.bulk))
	complete = e.whole && e.ended && len(list) > 0
	exact = complete
	for _, n := range list {
		exact = exact && n.Seq == list[0].Seq && n.Kind == list[0].Kind
	}
	return list, exact, complete
}

// merge merges two sorted lists without duplicates.
func merge(a, b []noted) []noted {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := slices.Concat(a, b)
	slices.SortStableFunc(out, func(x, y noted) int { return cmp.Compare(x.place, y.place) })
	return slices.CompactFunc(out, func(x, y noted) bool { return x.place == y.place })
}

// ofThing returns the writes of one of several things inside a row. They are
// exact on both databases.
func (e *explanation) ofThing(r diff.Origin) (list []noted, exact bool) {
	if r.After == nil {
		return slices.DeleteFunc(slices.Clone(e.before), func(n noted) bool { return n.Op != store.Deleted }), false
	}
	exact = e.ended && len(e.any) == 0
	if r.Before == nil {
		insert, ok := coming(e.inserts, *r.After)
		if !ok {
			return e.after, false
		}
		list = append(list, insert)
	} else {
		exact = exact && e.whole
	}
	list = append(list, e.after...)
	return list, exact && len(list) > 0
}

// coming returns the insert of a thing, among inserts in the order of their
// numbers.
func coming(inserts []noted, thing int64) (noted, bool) {
	at, found := slices.BinarySearchFunc(inserts, thing, func(n noted, thing int64) int { return cmp.Compare(n.Row, thing) })
	if !found {
		at--
	}
	if at < 0 {
		return noted{}, false
	}
	return inserts[at], true
}

// sortByRow sorts changes by the numbers of their rows: on PostgreSQL commits may
// be recorded in another order.
func sortByRow(list []noted) {
	slices.SortFunc(list, func(a, b noted) int { return cmp.Compare(a.Row, b.Row) })
}
