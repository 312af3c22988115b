package blockstore

import (
	"slices"

	"understudy/internal/ingest"
)

// together is a column of one empty text: all rows are one group.
var together = ingest.Dict{Values: []string{""}}

// group selects the column by which some rows of a block are grouped.
func (a *adder) group(c *ingest.Columns, rows int) {
	a.nobody = -1
	switch a.q.By {
	case ingest.ByNothing:
		a.column = &together
	case ingest.BySuccess:
		a.outcome.Values = append(a.outcome.Values[:0], "false", "true")
		a.outcome.Index = sized(a.outcome.Index, c.N)
		for i, flags := range c.Flags {
			a.outcome.Index[i] = uint16(flags & ingest.FlagSuccess / ingest.FlagSuccess)
		}
		a.column = &a.outcome
	case ingest.ByUser, ingest.ByLabel:
		a.column, a.nobody = &c.User, slices.Index(c.User.Values, "")
		a.session = allUnknown(a.session, len(c.Session.Values))
	default:
		a.column = columnOf(c, a.q.By)
	}
	a.own = allUnknown(a.own, len(a.column.Values))
	if a.q.By == ingest.ByLabel && 2*rows > len(a.own) { // most keys are used, and finding all is faster than finding each at its event
		for i, text := range a.column.Values {
			if i != a.nobody {
				a.own[i] = a.keyOfText(text)
			}
		}
	}
}

// findKey returns the key of a row for which own has none: it is used for the
// first time, or the row has no user, and its session counts. For labels with no
// key or several, it is several minus the index of the choice.
func (a *adder) findKey(c *ingest.Columns, i, at int) int {
	if at != a.nobody {
		a.own[at] = a.keyOfText(a.column.Values[at])
		return a.own[at]
	}
	s := c.Session.Of(i)
	if a.session[s] == unknown {
		a.session[s] = a.keyOfText(a.q.Owner(c.Session.Values[s]))
	}
	return a.session[s]
}

// keyOfText returns the key of a text of the column by which rows are grouped.
func (a *adder) keyOfText(text string) int {
	if a.q.By != ingest.ByLabel {
		return a.key(text)
	}
	choice := 0
	if at := a.users.find(text); at != none {
		choice = a.chosen[at]
	}
	if a.byChoice[choice] == unknown {
		a.byChoice[choice] = several - choice
		if keys := a.labelled(choice); len(keys) == 1 {
			a.byChoice[choice] = keys[0]
		}
	}
	return a.byChoice[choice]
}

// labelled returns the keys of a list of labels, and caches them.
func (a *adder) labelled(choice int) []int {
	out := a.choices[choice]
	if out != nil {
		return out
	}
	for _, l := range a.q.Labels.Choices[choice] {
		if k := a.key(l); !slices.Contains(out, k) { // several labels may belong to the group for all others
			out = append(out, k)
		}
	}
	a.choices[choice] = out
	return out
}

func columnOf(c *ingest.Columns, by ingest.Dimension) *ingest.Dict {
	switch by {
	case ingest.ByName:
		return &c.Name
	case ingest.ByType:
		return &c.Type
	case ingest.ByModel:
		return &c.Model
	case ingest.ByCustomer:
		return &c.Customer
	case ingest.BySession:
		return &c.Session
	}
	return &c.User
}
