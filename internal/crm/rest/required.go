package rest

import (
	"bytes"
	"encoding/json"
	"strings"

	"understudy/internal/platform/fault"
)

// required describes an object of a body that lacks members: the body itself, or
// an element of the list with the name in.
type required struct {
	in    string
	names []string
}

// requiredFields returns the error for a body without required members.
func requiredFields(names ...string) error { return requiredIn("", names...) }

// requiredIn is requiredFields for an element of a list in the body.
func requiredIn(list string, names ...string) error {
	return errBadInput.With(required{list, names})
}

// place completes the error of requiredFields. Upstream names the position of the
// brace that closes the incomplete object: its parser notices the lack there.
func (c *call) place(err error) error {
	e, ok := fault.As(err)
	if !ok {
		return err
	}
	lack, ok := e.Attrs.(required)
	if !ok {
		return err
	}
	line, column := position(c.sent, max(closing(c.sent, lack)-1, 0))
	return e.With(nil).Detailf("Invalid input JSON on line %d, column %d. Some required fields were not set: [%s]", line, column, strings.Join(lack.names, ", "))
}

// closing returns the offset behind the object that lacks members. It is the end
// of the body if no element of the list does, or if there is no list.
func closing(body []byte, lack required) int {
	end := len(bytes.TrimRight(body, " \t\r\n"))
	if lack.in == "" {
		return end
	}
	type level struct {
		object, element bool
		list            string  // the name of the list, for an array
		key             *string // of the value that comes next, if its key is read
		has             map[string]bool
	}
	var stack []level
	d := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.Token()
		if err != nil {
			return end
		}
		var top *level
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			if top.element && !hasAll(top.has, lack.names) {
				return int(d.InputOffset())
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if key, ok := token.(string); ok && top != nil && top.object && top.key == nil {
			top.key = &key
			continue
		}
		next := level{object: token == json.Delim('{'), has: map[string]bool{}}
		if top != nil && top.object {
			top.has[*top.key] = token != nil && token != ""
			next.list, top.key = *top.key, nil
		} else if top != nil {
			next.element = next.object && top.list == lack.in
		}
		if next.object || token == json.Delim('[') {
			stack = append(stack, next)
		}
	}
}

func hasAll(has map[string]bool, names []string) bool {
	for _, n := range names {
		if !has[n] {
			return false
		}
	}
	return true
}
