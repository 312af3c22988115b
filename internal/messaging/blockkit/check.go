package blockkit

import (
	"strconv"
	"strings"
)

// A validator walks a document, mends what has a default and notes what is
// wrong with a pointer to it.
type validator struct {
	newID    func() string
	path     []string
	messages []string
}

// in runs check one step further down.
func (v *validator) in(step string, check func()) {
	v.path = append(v.path, step)
	check()
	v.path = v.path[:len(v.path)-1]
}

func (v *validator) fail(message string) {
	if len(v.messages) < maxMessages {
		v.messages = append(v.messages, message+" [json-pointer:/"+strings.Join(v.path, "/")+"]")
	}
}

// A check looks at one value.
type check func(v *validator, n *node)

// A field is a member of an object and what it must be.
type field struct {
	name     string
	required bool
	check    check
}

// A schema is the fields of an object. Fields that it does not list are kept.
type schema []field

func (s schema) check(v *validator, n *node) {
	if n.kind != '{' {
		v.fail("must provide an object")
		return
	}
	for _, f := range s {
		value := n.get(f.name)
		switch {
		case value == nil && f.required:
			v.fail("missing required field: " + f.name)
		case value != nil && f.check != nil:
			v.in(f.name, func() { f.check(v, value) })
		}
	}
}

// str is a string of min to max characters.
func str(min, max int) check {
	return func(v *validator, n *node) {
		if n.kind != '"' {
			v.fail("must provide a string")
			return
		}
		v.bounds(n.length(), min, max)
	}
}

func (v *validator) bounds(length, min, max int) {
	if length < min {
		v.fail("must be more than " + strconv.Itoa(min-1) + " characters")
	}
	if length > max {
		v.fail("must be less than " + strconv.Itoa(max+1) + " characters")
	}
}

// oneOf is a string among those given.
func oneOf(allowed ...string) check {
	return func(v *validator, n *node) {
		for _, s := range allowed {
			if n.text() == s && n.kind == '"' {
				return
			}
		}
		v.fail("must be one of: " + strings.Join(allowed, ", "))
	}
}

func boolean(v *validator, n *node) {
	if n.kind != 't' {
		v.fail("must provide a boolean")
	}
}

func number(v *validator, n *node) {
	if n.kind != '0' {
		v.fail("must provide a number")
	}
}

func object(v *validator, n *node) {
	if n.kind != '{' {
		v.fail("must provide an object")
	}
}

func anyString(v *validator, n *node) {
	if n.kind != '"' {
		v.fail("must provide a string")
	}
}

// list is an array of min to max items that each pass the check.
func list(min, max int, item check) check {
	return func(v *validator, n *node) {
		if n.kind != '[' {
			v.fail("must provide an array")
			return
		}
		if len(n.items) < min {
			v.fail("no fewer than " + strconv.Itoa(min) + " items allowed")
		}
		if len(n.items) > max {
			v.fail("no more than " + strconv.Itoa(max) + " items allowed")
			return
		}
		for i, it := range n.items {
			v.in(strconv.Itoa(i), func() { item(v, it) })
		}
	}
}

// variants is an object whose type picks its schema.
func variants(types map[string]schema) check {
	return func(v *validator, n *node) {
		if n.kind != '{' {
			v.fail("must provide an object")
			return
		}
		kind := n.get("type")
		if kind == nil {
			v.fail("missing required field: type")
			return
		}
		s, ok := types[kind.text()]
		if !ok {
			v.in("type", func() { v.fail("unsupported type: " + clip(kind.text())) })
			return
		}
		s.check(v, n)
	}
}

func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "")
	}
	return s
}

// textObject is a text object of at most max characters, plain_text alone or
// mrkdwn too. It gains the default of its kind.
func textObject(max int, mrkdwn bool) check {
	content := str(1, max)
	return func(v *validator, n *node) {
		if n.kind != '{' {
			v.fail("must provide an object")
			return
		}
		kind := n.get("type").text()
		if kind != "plain_text" && (kind != "mrkdwn" || !mrkdwn) {
			v.fail("failed to match all allowed schemas")
			if n.get("type") == nil {
				v.fail("missing required field: type")
			} else {
				v.in("type", func() { v.fail("unsupported type: " + clip(kind)) })
			}
			return
		}
		schema{{"text", true, content}, {"emoji", false, boolean}, {"verbatim", false, boolean}}.check(v, n)
		switch {
		case kind == "mrkdwn" && n.get("verbatim") == nil:
			n.set("verbatim", falseNode)
		case kind == "plain_text" && n.get("emoji") == nil:
			n.set("emoji", trueNode)
		}
	}
}

func plainText(max int) check { return textObject(max, false) }

func anyText(max int) check { return textObject(max, true) }
