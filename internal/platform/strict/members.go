package strict

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Members returns Unknown for the first member of a JSON text, at any depth, that
// the type of v does not have. Names are case-sensitive. It ignores the content of
// types that decode themselves (json.Unmarshaler, json.RawMessage, any), and texts
// that are not JSON.
func Members(text []byte, v any) error {
	return members(text, reflect.TypeOf(v), "", false)
}

// MembersOnce is Members, and returns Twice for a member that an object has twice.
func MembersOnce(text []byte, v any) error {
	return members(text, reflect.TypeOf(v), "", true)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func members(text json.RawMessage, t reflect.Type, place string, once bool) error {
	for t.Kind() == reflect.Pointer {
		if t.Implements(unmarshaler) {
			return nil
		}
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return ofStruct(text, t, place, once)
	case reflect.Map:
		var values map[string]json.RawMessage
		_ = json.Unmarshal(text, &values)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if err := members(values[name], t.Elem(), below(place, name), once); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		if !hasStructs(t.Elem()) {
			return nil
		}
		var values []json.RawMessage
		_ = json.Unmarshal(text, &values)
		for i, value := range values {
			if err := members(value, t.Elem(), place+"["+strconv.Itoa(i)+"]", once); err != nil {
				return err
			}
		}
	}
	return nil
}

// valuesOf returns the members of an object by name, and the name of one that is
// given twice, "" for none; nil if the text is no object.
func valuesOf(text json.RawMessage) (values map[string]json.RawMessage, twice string) {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, ""
	}
	values = map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, ""
		}
		if _, known := values[name]; known && twice == "" {
			twice = name
		}
		values[name] = value
	}
	return values, twice
}

func ofStruct(text json.RawMessage, t reflect.Type, place string, once bool) error {
	values, twice := valuesOf(text)
	if once && twice != "" {
		return Twice.At(below(place, twice))
	}
	var known []string
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue // embedded, or ignored
		}
		known = append(known, name)
		fields[name] = f.Type
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		of, ok := fields[name]
		if !ok {
			return Refuse("member", below(place, name), name, known)
		}
		if err := members(values[name], of, below(place, name), once); err != nil {
			return err
		}
	}
	return nil
}

// hasStructs reports whether values of a type may have members.
func hasStructs(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return hasStructs(t.Elem())
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

func below(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}
