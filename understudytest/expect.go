package understudytest

import "maps"

// Match is a matcher: an object whose members all have to hold, such as
// Match{"contains": "sign in", "ignoring": []string{"case"}}.
type Match map[string]any

// Expectation is a sentence about a world. Its methods return a longer one and
// leave the expectation as it is.
type Expectation map[string]any

// Inserted expects a new record of an entity, such as messaging.message.
func Inserted(entity string) Expectation { return Expectation{"inserted": entity} }

// Updated expects a record that changed.
func Updated(entity string) Expectation { return Expectation{"updated": entity} }

// Deleted expects a record that is gone.
func Deleted(entity string) Expectation { return Expectation{"deleted": entity} }

// State expects a record that is there, whoever made it.
func State(entity string) Expectation { return Expectation{"state": entity} }

func (e Expectation) with(member string, value any) Expectation {
	out := maps.Clone(e)
	out[member] = value
	return out
}

// Where wants a field to be a value, or to fit a Match.
func (e Expectation) Where(field string, value any) Expectation {
	where, _ := e["where"].(map[string]any)
	where = maps.Clone(where)
	if where == nil {
		where = map[string]any{}
	}
	where[field] = value
	return e.with("where", where)
}

// Contains wants a field to contain a text.
func (e Expectation) Contains(field, text string) Expectation {
	return e.Where(field, Match{"contains": text})
}

// Change wants a field to have changed from one value to another; nil does not matter.
func (e Expectation) Change(field string, from, to any) Expectation {
	changes, _ := e["change"].(map[string]any)
	changes = maps.Clone(changes)
	if changes == nil {
		changes = map[string]any{}
	}
	change := map[string]any{}
	if from != nil {
		change["from"] = from
	}
	if to != nil {
		change["to"] = to
	}
	changes[field] = change
	if len(change) == 0 {
		changes[field] = nil
	}
	return e.with("change", changes)
}

// Only wants no other field to have changed.
func (e Expectation) Only() Expectation { return e.with("only", true) }

// Count wants so many; 1 without it.
func (e Expectation) Count(n int) Expectation { return e.with("count", n) }

// AtLeast wants so many or more.
func (e Expectation) AtLeast(n int) Expectation {
	return e.with("count", map[string]int{"at_least": n})
}

// AtMost wants so many or fewer.
func (e Expectation) AtMost(n int) Expectation {
	return e.with("count", map[string]int{"at_most": n})
}

// By wants somebody's change: agent, which it is without it, person, anyone or @handle.
func (e Expectation) By(who string) Expectation { return e.with("by", who) }

// As names what matched for later expectations of the same call: $name.field.
func (e Expectation) As(name string) Expectation { return e.with("as", name) }

// Named sets the name of the check, which results and failures show.
func (e Expectation) Named(name string) Expectation { return e.with("name", name) }

// Weight sets what the check counts for in the score; 1 without it.
func (e Expectation) Weight(weight float64) Expectation { return e.with("weight", weight) }

// Gate makes the score 0 when the check fails.
func (e Expectation) Gate() Expectation { return e.with("gate", true) }

// Expect fails the test, with the evidence, unless all of it holds.
func (w *World) Expect(expectations ...Expectation) Verdict {
	w.t.Helper()
	v := w.Verdict(map[string]any{"expect": expectations})
	w.expected = append(w.expected, expectations...)
	w.report(v)
	return v
}

// ExpectDocument fails the test, with the evidence, unless a whole document
// holds: YAML text, or a value that encodes as JSON.
func (w *World) ExpectDocument(document any) Verdict {
	w.t.Helper()
	v := w.Verdict(document)
	w.report(v)
	return v
}

// NothingElse fails the test when the agent has changed what no Expect of this
// world so far named, and none of except does.
func (w *World) NothingElse(except ...Expectation) Verdict {
	w.t.Helper()
	options := any(true)
	if len(except) > 0 {
		options = map[string]any{"except": except}
	}
	v := w.Verdict(map[string]any{"expect": append([]Expectation{}, w.expected...), "nothing_else": options})
	one := v
	one.Checks, one.Verdict = nil, "passed"
	for _, check := range v.Checks {
		if check.ID == "nothing_else" {
			one.Checks = append(one.Checks, check)
			if check.Passed == nil || !*check.Passed {
				one.Verdict = "failed"
			}
		}
	}
	w.report(one)
	return v
}

// report fails the test unless a verdict passed.
func (w *World) report(v Verdict) {
	w.t.Helper()
	if v.Verdict != "passed" {
		w.t.Error(v.String())
	}
}
