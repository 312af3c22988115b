package task

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"understudy/internal/platform/seeddoc"
)

// verbs returns the names of the acts.
func verbs() (out []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Act]()) {
		if f.Type == reflect.TypeFor[seeddoc.Object]() {
			out = append(out, f.Tag.Get("seed"))
		}
	}
	return out
}

// verb returns the name of an act, its members, and the number of acts in a.
func (a *Act) verb() (name string, members seeddoc.Object, n int) {
	v := reflect.ValueOf(a).Elem()
	for i := range v.NumField() {
		if one, ok := v.Field(i).Interface().(seeddoc.Object); ok && one != nil {
			name, members = v.Type().Field(i).Tag.Get("seed"), one
			n++
		}
	}
	return name, members, n
}

// Call returns the name of an act and its body, with references replaced by their
// values.
func (a *Act) Call(known Bindings) (verb string, body json.RawMessage, err error) {
	verb, members, _ := a.verb()
	text, err := json.Marshal(members)
	if err != nil {
		return "", nil, err
	}
	body, err = known.replace(text, nil)
	return verb, body, err
}

// Bindings are the replies to acts, by the names that the task defines for them.
type Bindings map[string]map[string]any

// replace replaces the references in a JSON text. If names is set, it only checks
// that all references are in names.
func (b Bindings) replace(text json.RawMessage, names []string) (json.RawMessage, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	v, err := b.within(v, names)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func (b Bindings) within(v any, names []string) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return b.text(v, names)
	case []any:
		for i := range v {
			if v[i], err = b.within(v[i], names); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = b.within(v[name], names); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (b Bindings) text(s string, names []string) (any, error) {
	if plain, ok := seeddoc.Unescaped(s); ok {
		return plain, nil
	}
	name, member, ok := seeddoc.Reference(s)
	switch {
	case !ok:
		return s, nil
	case names != nil && slices.Contains(names, name):
		return s, nil
	case names != nil || b[name] == nil:
		return nil, fmt.Errorf("nothing before this is called %q: name it with as, or write $$ for a text that begins with $", name)
	case member != "":
		v, ok := b[name][member]
		if !ok {
			return nil, fmt.Errorf("%s has no member %s", name, member)
		}
		return v, nil
	}
	return map[string]any{"channel": b[name]["channel"], "ts": b[name]["ts"]}, nil
}

// Awaited returns the body of POST …/wait for a reaction.
func (r *Reaction) Awaited(known Bindings) (json.RawMessage, error) {
	m := r.When.Message
	wanted := map[string]any{}
	for name, text := range map[string]string{"kind": m.Kind, "channel": m.Channel, "from": m.From, "thread": m.Thread} {
		if text != "" {
			wanted[name] = text
		}
	}
	if m.Plain != nil {
		wanted["text"] = json.RawMessage(m.Plain)
	}
	if m.Text != nil {
		wanted["text"] = json.RawMessage(m.Text)
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	return known.replace(text, nil)
}

// With returns the bindings and a message for the name messageName.
func (b Bindings) With(message map[string]any) Bindings {
	out := Bindings{messageName: message}
	for name, one := range b {
		out[name] = one
	}
	return out
}
