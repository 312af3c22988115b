package agentdiff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// translation translates the assertions of a test to expectations.
type translation struct {
	*template
	suite  *suite
	test   *test
	refuse func(where, format string, args ...any)
	expect []*yaml.Node
	idle   bool // all of them so far are met without doing anything
}

// assertion adds the expectations of an assertion.
func (t *translation) assertion(i int, a *assertion) {
	at := fmt.Sprintf("assertions[%d]", i)
	refuse := func(format string, args ...any) { t.refuse(at, format, args...) }
	if a.Entity == labelling {
		t.labelled(a, refuse)
		return
	}
	e, ok := entities[t.suite.Service][a.Entity]
	if !ok {
		refuse("there is nothing like the entity %s here", a.Entity)
		return
	}
	where := t.where(at, e, a)
	count, least, none := t.count(a, refuse)
	switch a.DiffType {
	case "added", "removed":
		if a.Entity == "messages" && !about(a.Where, "message_text", "message_id", "parent_id", "blocks") {
			where["subtype"] = map[string]any{"none_of": notes}
		}
		t.add(a, map[string]string{"added": "inserted", "removed": "deleted"}[a.DiffType], e.name, where, nil, false, count, least)
	case "unchanged":
		if a.Count != nil && !none {
			refuse("unchanged accepts only an expected_count of 0")
		}
		for _, act := range []string{"inserted", "updated", "deleted"} {
			t.add(a, act, e.name, where, nil, false, 0, 0)
		}
	case "changed":
		t.changed(at, e, a, where, count, least, none)
	default:
		refuse("diff_type is %q, not added, removed, changed or unchanged", a.DiffType)
	}
}

// notes are the subtypes of messages about changes of a channel: in Agent-Diff
// rows are only messages that somebody wrote.
var notes = []any{"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "channel_archive", "channel_unarchive"}

func about(where map[string]any, columns ...string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { _, ok := where[c]; return ok })
}

// where returns the matchers of an assertion by field.
func (t *translation) where(at string, e entity, a *assertion) map[string]any {
	out := map[string]any{}
	for _, column := range slices.Sorted(maps.Keys(a.Where)) {
		refuse := func(format string, args ...any) { t.refuse(at+".where."+column, format, args...) }
		f, ok := e.fields[column]
		if !ok {
			refuse("there is nothing like the field %s of %s here", column, a.Entity)
			continue
		}
		if _, twice := out[f.to]; twice {
			refuse("two fields translate to %s", f.to)
			continue
		}
		out[f.to] = t.matcher(f, a.Where[column], refuse)
	}
	return out
}

// count returns the expected number, its minimum, and whether it may be zero.
func (t *translation) count(a *assertion, refuse func(string, ...any)) (count any, least int64, none bool) {
	switch v := number(a.Count).(type) {
	case nil:
		return map[string]any{"at_least": 1}, 1, false
	case int64:
		return v, v, v == 0
	case map[string]any:
		out := map[string]any{}
		for there, here := range map[string]string{"min": "at_least", "max": "at_most"} {
			if n, ok := v[there].(int64); ok {
				out[here] = n
			} else if v[there] != nil {
				refuse("%s of expected_count must be a whole number", there)
			}
		}
		least, _ = out["at_least"].(int64)
		return out, least, out["at_most"] == int64(0)
	}
	refuse("expected_count must be a number, or have min and max")
	return 1, 1, false
}

// changed adds the expectation for an assertion about changed rows.
func (t *translation) changed(at string, e entity, a *assertion, where map[string]any, count any, least int64, none bool) {
	refuse := func(format string, args ...any) { t.refuse(at, format, args...) }
	strict := *cmp.Or(t.test.Strict, t.suite.Strict, &always)
	switch {
	case none && len(a.Changes) > 0:
		refuse("expected_changes needs an expected_count that allows a row")
		return
	case none:
		t.add(a, "updated", e.name, where, nil, false, 0, 0)
		return
	case strict && len(a.Changes) == 0:
		refuse("rows have to change, but no field may change")
		return
	}
	if t.ended(e, a) {
		t.add(a, "deleted", e.name, where, nil, false, count, least)
		return
	}
	change := map[string]any{}
	for _, column := range slices.Sorted(maps.Keys(a.Changes)) {
		t.change(at+".expected_changes."+column, e, a, column, where, change)
	}
	if e.name == "tracker.issue" && change["teamId"] != nil && change["stateId"] == nil {
		change["stateId"] = nil // states belong to a team
	}
	if e.name == "messaging.message" && change["text"] != nil && change["blocks"] == nil {
		change["blocks"] = nil // the blocks of a person's message are derived from its text
	}
	if strict {
		t.ignored(e, a, change, refuse)
	}
	t.add(a, "updated", e.name, where, change, strict, count, least)
}

var always = true

// ended reports whether an assertion is about rows that are marked as deleted, if
// the entity is really deleted here.
func (t *translation) ended(e entity, a *assertion) bool {
	sides, ok := a.Changes[e.ends].(map[string]any)
	if !ok || len(a.Changes) != 1 {
		return false
	}
	to, _ := sides["to"].(map[string]any)
	return to["exists"] == true && len(to) == 1
}

// change adds the expected old and new values of a column.
func (t *translation) change(at string, e entity, a *assertion, column string, where, into map[string]any) {
	refuse := func(format string, args ...any) { t.refuse(at, format, args...) }
	f, ok := e.fields[column]
	if !ok {
		refuse("there is nothing like the field %s of %s here", column, a.Entity)
		return
	}
	given, isMap := a.Changes[column].(map[string]any)
	if !isMap {
		given = map[string]any{"to": a.Changes[column]}
	}
	sides := map[string]any{}
	for _, side := range []string{"from", "to"} {
		if predicate := given[side]; predicate != nil { // null expects nothing
			sides[side] = t.matcher(f, predicate, refuse)
		}
	}
	var one any
	if len(sides) > 0 {
		one = sides
	}
	if other, twice := into[f.to]; twice && fmt.Sprint(other) != fmt.Sprint(one) {
		refuse("two fields translate to %s, with different changes", f.to)
	}
	into[f.to] = one
	// Agent-Diff finds rows by their old or new values, a task by their new values.
	if found, ok := where[f.to]; ok && fmt.Sprint(found) != fmt.Sprint(sides["to"]) {
		if fmt.Sprint(found) != fmt.Sprint(sides["from"]) {
			refuse("where matches the old or the new value of %s; only matches the new one", column)
		}
		delete(where, f.to)
	}
}

// ignored reports the fields that an assertion ignores, except derived ones: a
// task cannot express that.
func (t *translation) ignored(e entity, a *assertion, change map[string]any, refuse func(string, ...any)) {
	for _, list := range [][]string{a.Ignore, a.Ignored, t.test.Ignored["global"], t.test.Ignored[a.Entity], t.suite.Ignored["global"], t.suite.Ignored[a.Entity]} {
		for _, column := range list {
			f, ok := e.fields[column]
			if _, named := change[f.to]; ok && !named && !f.derived {
				refuse("%s may change beside the fields of expected_changes: only allows the fields that are named", column)
			}
		}
	}
}

// labelled adds the expectation for an assertion about labels of issues.
func (t *translation) labelled(a *assertion, refuse func(string, ...any)) {
	issue, label := named(a, "issue_id"), named(a, "issue_label_id")
	count, least, _ := t.count(a, refuse)
	where := map[string]any{"id": t.ids[issue]}
	switch {
	case t.ids[issue] == "":
		refuse("labels are a field of issues here: the issue has to be named, by an id of the template")
		return
	case len(a.Where) == 1 && a.DiffType == "added" && least > 0 && t.unlabelled(issue):
		where["labelIds"] = map[string]any{"length": count}
	case len(a.Where) != 2 || t.ids[label] == "":
		refuse("labels are a field of issues here: the label has to be named, by an id of the template, unless all labels of the issue are removed")
		return
	case a.DiffType != "added" && a.DiffType != "removed" || a.Count != nil && count != int64(1):
		refuse("labels are a field of issues here: one of them is added or removed")
		return
	default:
		where["labelIds"] = map[string]any{"includes": t.ids[label]}
	}
	x := mapping("name", a.About, "state", "tracker.issue", "where", where)
	if a.DiffType == "removed" {
		add(x, "count", 0)
	}
	t.idle = false
	t.expect = append(t.expect, inLine(x))
}

// named returns the id that a column must equal, "" for another assertion.
func named(a *assertion, column string) string {
	v := a.Where[column]
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		v = m["eq"]
	}
	s, _ := v.(string)
	return s
}

// unlabelled reports whether an issue's labels at the end are exactly those that
// were added: it has none in the template, or the test asserts that they are
// removed.
func (t *translation) unlabelled(issue string) bool {
	return !slices.ContainsFunc(t.labelsOf[issue], func(label string) bool {
		return !slices.ContainsFunc(t.test.Assertions, func(a assertion) bool {
			return a.Entity == labelling && a.DiffType == "removed" && named(&a, "issue_id") == issue && named(&a, "issue_label_id") == label
		})
	})
}

// add adds an expectation. A row counts for each assertion that it matches.
func (t *translation) add(a *assertion, act, entity string, where, change map[string]any, only bool, count any, least int64) {
	x := mapping("name", t.text.Replace(a.About), act, entity, "where", where, "change", change, "only", only, "shared", true)
	if count != int64(1) {
		add(x, "count", count)
	}
	t.idle = t.idle && least == 0
	t.expect = append(t.expect, inLine(x))
}
