package match

import "maps"

// Replace returns the values for a text in a test named op, each of which may
// match, and their displayed form; no values leave the text unchanged.
type Replace func(op, text string) (values []any, shown any, err error)

// Whole reports whether a test compares whole values, so that a text may be the
// name of a thing.
func Whole(op string) bool {
	switch op {
	case "is", "not", "any_of", "none_of", "includes", "includes_all":
		return true
	}
	return false
}

// Bind returns a copy of the matcher with its texts replaced. It returns the
// first error of replace.
func (m *Matcher) Bind(replace Replace) (*Matcher, error) {
	out := *m
	out.tests = make([]test, len(m.tests))
	object, _ := m.shown.(map[string]any)
	if object != nil {
		out.shown = maps.Clone(object)
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

// bind replaces the operands of a test, and returns their displayed form.
func (t *test) bind(replace Replace) (shown any, err error) {
	if t.inner != nil {
		if t.inner, err = t.inner.Bind(replace); err != nil {
			return nil, err
		}
		return t.inner.shown, nil
	}
	list := make([]any, 0, len(t.operands))
	operands := make([]operand, len(t.operands))
	for i, o := range t.operands {
		if o.inner != nil {
			if operands[i].inner, err = o.inner.Bind(replace); err != nil {
				return nil, err
			}
			list = append(list, operands[i].inner.shown)
			continue
		}
		one := o.values[0]
		operands[i] = o
		if values, s, err := bound(one, t.op, replace); err != nil {
			return nil, err
		} else if values != nil {
			for j := range values {
				values[j] = Normal(values[j])
			}
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

// bound replaces a text, or the texts in a list.
func bound(v any, op string, replace Replace) (values []any, shown any, err error) {
	switch v := v.(type) {
	case string:
		return replace(op, v)
	case []any: // for comparing lists: each item is replaced by its first value
		items, shownItems := make([]any, len(v)), make([]any, len(v))
		for i, item := range v {
			items[i], shownItems[i] = item, item
			found, s, err := bound(item, op, replace)
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
func (m *Matcher) Names(f func(op, text string)) {
	_, _ = m.Bind(func(op, text string) ([]any, any, error) {
		f(op, text)
		return nil, nil, nil
	})
}
