package agentdiff

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// operators maps operators of predicates to matchers.
var operators = map[string]string{
	"eq": "is", "ne": "not", "not_eq": "not", "in": "any_of", "not_in": "none_of",
	"contains": "contains", "not_contains": "not_contains", "starts_with": "starts_with", "ends_with": "ends_with", "regex": "matches",
	"i_contains": "contains", "i_starts_with": "starts_with", "i_ends_with": "ends_with",
	"gt": "above", "gte": "at_least", "lt": "below", "lte": "at_most", "exists": "present", "has_any": "includes", "has_all": "includes_all",
}

// whole are the operators whose operands are whole values, such as ids.
var whole = []string{"eq", "ne", "not_eq", "in", "not_in", "has_any", "has_all"}

// searches are the operators that also search for a text within JSON.
var searches = []string{"contains", "not_contains", "i_contains"}

// maxPattern is the longest pattern of a matcher, in characters.
const maxPattern = 1000

// matcher returns the matcher for a predicate on a field. It calls refuse if
// there is none.
func (n *names) matcher(f field, predicate any, refuse func(format string, args ...any)) any {
	members, ok := predicate.(map[string]any)
	if !ok {
		members = map[string]any{"eq": predicate}
	}
	out := map[string]any{}
	cases := map[bool]bool{}
	for _, op := range slices.Sorted(maps.Keys(members)) {
		to, known := operators[op]
		if !known {
			refuse("there is no matcher for the operator %s", op)
			continue
		}
		textual := to == "contains" || to == "not_contains" || strings.HasSuffix(to, "_with") || to == "matches"
		if f.json && (textual && !slices.Contains(searches, op) || to == "is") {
			refuse("%s compares a list or an object with a text", op)
			continue
		}
		if textual {
			cases[strings.HasPrefix(op, "i_")] = true
		}
		if _, twice := out[to]; twice {
			refuse("%s and another operator both translate to %s", op, to)
			continue
		}
		if f.refers && slices.Contains(whole, op) {
			if id := n.missing(members[op]); id != "" {
				refuse("the seed template has nothing with the id %s", id)
				continue
			}
		}
		value, ok := n.operand(f, op, number(members[op]))
		if !ok {
			refuse("%s does not accept %v", op, members[op])
			continue
		}
		if pattern, ok := value.(string); ok && to == "matches" {
			if _, err := regexp.Compile(pattern); err != nil || len(pattern) > maxPattern {
				refuse("the pattern is not in RE2 syntax, which matches requires, or has more than %d characters", maxPattern)
			}
		}
		out[to] = value
	}
	if len(cases) == 2 {
		refuse("one operator ignores the case and another does not: a matcher ignores it for all or none")
	}
	if cases[true] {
		out["ignoring"] = []any{"case"}
	}
	if f.json && len(cases) > 0 {
		within := map[string]any{}
		for _, name := range []string{"contains", "not_contains", "ignoring"} {
			if v, ok := out[name]; ok {
				within[name] = v
				delete(out, name)
			}
		}
		out["json"] = within
	}
	if v, alone := out["is"]; alone && len(out) == 1 {
		switch v.(type) {
		case map[string]any:
		case nil:
			return map[string]any{"present": false}
		default:
			return v
		}
	}
	return out
}

// operand translates the operand of an operator, with its ids and values.
func (n *names) operand(f field, op string, v any) (_ any, ok bool) {
	list, isList := v.([]any)
	switch op {
	case "in", "not_in", "has_any", "has_all":
		if !isList {
			return nil, false
		}
	case "exists":
		_, ok := v.(bool)
		return v, ok
	case "eq", "ne", "not_eq":
	default:
		if isList || v == nil {
			return nil, false
		}
	}
	one := func(v any) any {
		s, isText := v.(string)
		if !isText {
			return v
		}
		if f.values != nil {
			if to, ok := f.values[s]; ok {
				return to
			}
		}
		if slices.Contains(whole, op) {
			if to, ok := n.ids[s]; ok {
				return to
			}
		}
		if op == "regex" {
			return n.text.Replace(s)
		}
		return literal(n.text.Replace(s))
	}
	if !isList {
		return one(v), true
	}
	out := make([]any, len(list))
	for i := range list {
		out[i] = one(list[i])
	}
	if op == "has_any" {
		return map[string]any{"any_of": out}, true
	}
	return out, true
}

// missing returns the first id that the template lacks; "" for none.
func (n *names) missing(v any) string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		if id, isText := one.(string); isText && n.ids[id] == "" {
			return id
		}
	}
	return ""
}

// literal escapes a text that looks like a reference.
func literal(s string) string {
	if strings.HasPrefix(s, "$") {
		return "$" + s
	}
	return s
}
