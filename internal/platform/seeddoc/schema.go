package seeddoc

import (
	"reflect"
	"strings"
)

// schemas collects the definitions of a JSON schema.
type schemas struct{ defs map[string]any }

// Schema returns the JSON schema (draft 2020-12) of documents whose parts are
// read into the given structs, by name.
func Schema(title, description string, parts map[string]any) map[string]any {
	s := &schemas{defs: map[string]any{}}
	properties := map[string]any{}
	for name, part := range parts {
		properties[name] = orNull(s.of(reflect.TypeOf(part), name, ""))
	}
	return map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": description,
		"type": []any{"object", "null"}, "additionalProperties": false, "properties": properties, "$defs": s.defs}
}

// of returns the schema of a type; part prefixes the definitions of its structs.
func (s *schemas) of(t reflect.Type, part, enum string) map[string]any {
	if reflect.PointerTo(t).Implements(customType) {
		out := reflect.New(t).Interface().(custom).schema(s)
		if item, ok := out["additionalProperties"].(reflect.Type); ok {
			out["additionalProperties"] = orNull(s.of(item, part, ""))
		}
		return out
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.object(t, part)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem(), part, enum)}
	case reflect.Pointer:
		return s.of(t.Elem(), part, enum)
	case reflect.String:
		out := map[string]any{"type": "string"}
		if enum != "" {
			out["enum"] = strings.Split(enum, ",")
		}
		return out
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	panic("seeddoc: a field of an unknown type " + t.String())
}

func (s *schemas) object(t reflect.Type, part string) map[string]any {
	name := part + "." + t.Name()
	ref := map[string]any{"$ref": "#/$defs/" + name}
	if s.defs[name] != nil {
		return ref
	}
	def := map[string]any{"type": "object", "additionalProperties": false}
	s.defs[name] = def
	fields, properties, required := fieldsOf(t), map[string]any{}, []string{}
	for _, n := range fields.names {
		f := fields.byName[n]
		one := s.of(t.Field(f.index).Type, part, f.enum)
		if !f.required {
			one = orNull(one)
		} else {
			required = append(required, n)
		}
		if f.doc != "" {
			one["description"] = f.doc
		}
		properties[n] = one
	}
	def["properties"] = properties
	if len(required) > 0 {
		def["required"] = required
	}
	return ref
}

// orNull returns a schema that also allows null, which counts as absent.
func orNull(schema map[string]any) map[string]any {
	switch kind := schema["type"].(type) {
	case string:
		if schema["enum"] == nil {
			schema["type"] = []any{kind, "null"}
			return schema
		}
	case []any:
		schema["type"] = append(kind, "null")
		return schema
	case nil:
		if schema["$ref"] == nil {
			return schema // it allows null already
		}
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

func (l *Named[T]) schema(*schemas) map[string]any {
	return map[string]any{"type": "object", "propertyNames": map[string]any{"pattern": `^\S{1,200}$`}, "additionalProperties": reflect.TypeFor[T]()}
}

func (*Ref) schema(*schemas) map[string]any {
	return map[string]any{"type": "string", "pattern": `^\S{1,200}$`}
}

func (*Text) schema(*schemas) map[string]any {
	return map[string]any{"type": []any{"string", "number", "boolean"}}
}

func (*Raw) schema(*schemas) map[string]any { return map[string]any{} }

func (*Object) schema(*schemas) map[string]any { return map[string]any{"type": "object"} }

// timePattern approximates the texts that ParseTime accepts.
const timePattern = `^(now|[+-](\d{1,6}(w|d|h|ms|m|s))+|\d{4}-\d{2}-\d{2}([Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2}))?)$`

func (*Time) schema(*schemas) map[string]any {
	return map[string]any{"type": "string", "pattern": timePattern}
}

func (*Day) schema(*schemas) map[string]any {
	return map[string]any{"type": "string", "pattern": timePattern}
}
