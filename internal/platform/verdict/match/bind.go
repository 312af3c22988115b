package match

import "encoding/json"

// Replace returns what an operand stands for, any of which may match, and how
// it is shown; named reports whether the operand is compared as a whole, so that
// it may be the name of a thing. An operand that stands for nothing yet is an error.
type Replace func(text string, named bool) (values []any, shown any, err error)

// Bind returns a copy of the matcher whose texts were replaced. It returns the
// first error of replace.
func (m *Matcher) Bind(replace Replace) (*Matcher, error) {
	out := *m
	out.tests = make([]test, len(m.tests))
	object, _ := m.shown.(map[string]any)
	if object != nil {
		copied := make(map[string]any, len(object))
		for k, v := range object {
			copied[k] = v
		}
		out.shown = copied
	}
	for i := range m.tests {
		t := m.tests[i]
		shown, err := t.bind(replace)
		if err != nil {
			return nil, err
		}
		out.tests[i] = t
		switch {
		case shown == nil:
		case object != nil:
			out.shown.(map[string]any)[t.op] = shown
		default:
			out.shown = shown
		}
	}
	return &out, nil
}

// bind replaces the operands of a test, and returns how they are shown.
func (t *test) bind(replace Replace) (shown any, err error) {
	if t.inner != nil {
		if t.inner, err = t.inner.Bind(replace); err != nil {
			return nil, err
		}
		return t.inner.shown, nil
	}
	named := t.op == "is" || t.op == "not" || t.op == "any_of" || t.op == "none_of" || t.op == "includes" || t.op == "includes_all"
	list := make([]any, 0, len(t.operands))
	operands := make([]operand, len(t.operands))
	for i, o := range t.operands {
		one := o.values[0]
		operands[i] = o
		if values, s, err := bound(one, named, replace); err != nil {
			return nil, err
		} else if values != nil {
			operands[i], one = operand{values: values}, s
		}
		list = append(list, one)
	}
	t.operands = operands
	switch t.op {
	case "any_of", "none_of", "includes_all":
		return list, nil
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list[0], nil
}

// bound replaces a text, or the texts of a list.
func bound(v any, named bool, replace Replace) (values []any, shown any, err error) {
	switch v := v.(type) {
	case string:
		return replace(v, named)
	case []any: // equal lists: each item is replaced by the first thing that it stands for
		items, shownItems := make([]any, len(v)), make([]any, len(v))
		for i, item := range v {
			items[i], shownItems[i] = item, item
			found, s, err := bound(item, named, replace)
			if err != nil {
				return nil, nil, err
			}
			if len(found) > 0 {
				items[i], shownItems[i] = found[0], s
			}
		}
		return []any{items}, shownItems, nil
	}
	return nil, nil, nil
}

// Names calls f with each text of the matcher that may be a name or a capture.
func (m *Matcher) Names(f func(text string, named bool)) {
	_, _ = m.Bind(func(text string, named bool) ([]any, any, error) {
		f(text, named)
		return nil, nil, nil
	})
}

var _ json.Marshaler = (*Matcher)(nil)
