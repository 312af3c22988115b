package webapi

import (
	"encoding/json"
	"strings"

	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/jsontext"
)

// reply is an envelope that is encoded member by member: most members are JSON
// already.
type reply struct {
	b        []byte
	cursor   *string // response_metadata.next_cursor
	messages []string
	warnings []string
	borrowed *[]byte // the memory of b, for httpkit.GiveBack; nil if b owns it
}

// borrow is ok for a long reply whose length is not known in advance: it is written
// into borrowed memory.
func borrow() *reply {
	m := httpkit.Borrow()
	return &reply{b: append(*m, `{"ok":true`...), borrowed: m}
}

// giveBack ends the use of a reply of borrow.
func (r *reply) giveBack() {
	*r.borrowed = r.b
	httpkit.GiveBack(r.borrowed)
}

func ok() *reply { return okWith(256) }

// okWith is ok with room for a reply of a known length.
func okWith(room int) *reply { return &reply{b: append(make([]byte, 0, room), `{"ok":true`...)} }

func refusal(code string) *reply {
	r := &reply{b: append(make([]byte, 0, 128), `{"ok":false,"error":`...)}
	r.b = jsontext.Append(r.b, code)
	return r
}

func (r *reply) name(name string) {
	r.b = append(r.b, ',', '"')
	r.b = append(r.b, name...)
	r.b = append(r.b, '"', ':')
}

func (r *reply) text(name, value string) *reply {
	r.name(name)
	r.b = jsontext.Append(r.b, value)
	return r
}

// raw adds a member that is JSON already.
func (r *reply) raw(name string, value []byte) *reply {
	r.name(name)
	r.b = append(r.b, value...)
	return r
}

// array adds an array of JSON values separated by commas.
func (r *reply) array(name string, values []byte) *reply {
	r.name(name)
	r.b = append(r.b, '[')
	r.b = append(r.b, values...) // append over-allocates room for the rest of the envelope; slices.Grow would clear it first
	r.b = append(r.b, ']')
	return r
}

// value adds a member that encoding/json encodes.
func (r *reply) value(name string, v any) *reply {
	r.name(name)
	var w strings.Builder
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package always encode
	}
	r.b = append(r.b, strings.TrimSuffix(w.String(), "\n")...)
	return r
}

func (r *reply) flag(name string, v bool) *reply {
	if v {
		return r.raw(name, []byte("true"))
	}
	return r.raw(name, []byte("false"))
}

// next sets the cursor; "" marks the last page.
func (r *reply) next(cursor string) *reply {
	r.cursor = &cursor
	return r
}

func (r *reply) warn(code string) *reply {
	r.warnings = append(r.warnings, code)
	return r
}

// finish closes the envelope. warnings come from reading the arguments.
func (r *reply) finish(warnings []string) []byte {
	all := append(r.warnings, warnings...)
	if len(all) > 0 {
		r.text("warning", strings.Join(all, ","))
	}
	switch {
	case len(all) > 0 || len(r.messages) > 0:
		meta := map[string]any{}
		if r.cursor != nil {
			meta["next_cursor"] = *r.cursor
		}
		if len(all) > 0 {
			meta["warnings"] = all
		}
		if len(r.messages) > 0 {
			meta["messages"] = r.messages
		}
		r.value("response_metadata", meta)
	case r.cursor != nil:
		r.b = append(r.b, `,"response_metadata":{"next_cursor":`...)
		r.b = append(jsontext.Append(r.b, *r.cursor), '}')
	}
	return append(r.b, '}')
}
