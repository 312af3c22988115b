package blockkit

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A validator compares a document with the schemas and records each problem with
// a JSON pointer.
type validator struct {
	path     []string
	messages []string

	blockIDs  map[string]bool // block_ids used in the message
	actionIDs map[string]bool // action_ids used in the current block
	found     []foundObject   // objects for complete, inner ones first
	tables    int
	charts    int
	text      int // characters outside tables
	cells     int // characters in tables
	inTable   bool
	markdown  int // characters of markdown blocks
}

// A foundObject is an object to which defaults and ids are added.
type foundObject struct {
	*object
	node   *node
	nested bool // a block that is not an item of blocks
}

// in runs a check with the path extended by a step.
func (v *validator) in(step string, check func()) {
	v.path = append(v.path, step)
	check()
	v.path = v.path[:len(v.path)-1]
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// fail records a problem at the current path.
func (v *validator) fail(message string) {
	if len(v.messages) >= maxMessages {
		return
	}
	var b strings.Builder
	b.WriteString(message + " [json-pointer:")
	for _, step := range v.path {
		b.WriteString("/" + pointerEscapes.Replace(step))
	}
	v.messages = append(v.messages, b.String()+"]")
}

// value validates a value against its shape.
func (v *validator) value(s *shape, n *node) {
	switch s.kind {
	case isString:
		v.str(s, n)
	case isBoolean:
		if n.kind != 't' {
			v.fail(wrongKind[isBoolean])
		}
	case isNumber, isInteger:
		v.number(s, n)
	case isEnum:
		if !slices.Contains(s.values, string(n.scalar())) {
			v.fail("must be a valid enum value")
		}
	case isArray:
		v.array(s, n)
	case isObject:
		v.oneOf(s, n)
	}
}

func (v *validator) str(s *shape, n *node) {
	if n.kind != '"' {
		v.fail(wrongKind[isString])
		return
	}
	length := n.length()
	switch {
	case s.bounded && length < s.min:
		v.fail("must be more than " + strconv.Itoa(s.min-1) + " characters")
	case s.max > 0 && length > s.max:
		v.fail("must be less than " + strconv.Itoa(s.max+1) + " characters")
	}
	if s.pattern != "" && !compiled(s.pattern).MatchString(n.text()) {
		v.fail("input must match regex pattern: " + s.pattern)
	}
	if s.format == "uri" && length > 0 && !isURI(n.text()) {
		v.fail("input must be a valid: uri")
	}
}

var patterns sync.Map // of *regexp.Regexp, by text

func compiled(pattern string) *regexp.Regexp {
	if re, ok := patterns.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(pattern)
	patterns.Store(pattern, re)
	return re
}

var absoluteURI = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$`)

// isURI reports whether a text is an absolute URI: a scheme with the parts that
// it requires.
func isURI(text string) bool {
	if !absoluteURI.MatchString(text) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	return u.Host != "" || u.Scheme != "http" && u.Scheme != "https"
}

func (v *validator) number(s *shape, n *node) {
	if n.kind != '0' {
		v.fail(wrongKind[s.kind])
		return
	}
	f, err := strconv.ParseFloat(string(n.raw), 64)
	if err != nil || s.kind == isInteger && f != float64(int64(f)) {
		v.fail(wrongKind[s.kind])
		return
	}
	if s.bounded && f < float64(s.min) {
		v.fail("must be greater than " + strconv.Itoa(s.min))
	}
	if s.max > 0 && f > float64(s.max) {
		v.fail("must be less than " + strconv.Itoa(s.max))
	}
}

func (v *validator) array(s *shape, n *node) {
	if n.kind != '[' {
		v.fail(wrongKind[isArray])
		return
	}
	if len(n.items) < s.min {
		v.fail("must provide at least " + strconv.Itoa(s.min) + " items")
	}
	if s.max > 0 && len(n.items) > s.max {
		v.fail("no more than " + strconv.Itoa(s.max) + " items allowed")
		return
	}
	for i, item := range n.items {
		if item.kind == 'n' && s.of.nullable {
			continue
		}
		v.in(strconv.Itoa(i), func() { v.value(s.of, item) })
	}
	if s.unique && repeats(n.items) {
		v.fail("Input contains duplicate items")
	}
}

func repeats(items []*node) bool {
	seen := map[string]bool{}
	for _, item := range items {
		text := string(item.appendTo(nil))
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// oneOf validates an object that may have several shapes. The problems of a text
// object with a length bound follow a line for the enclosing schema.
func (v *validator) oneOf(s *shape, n *node) {
	if n.kind != '{' {
		v.fail(wrongKind[isObject])
		return
	}
	before := len(v.messages)
	if o := v.choose(s, n); o != nil {
		v.object(o, s, n)
	}
	if s.textMax > 0 && len(v.messages) > before {
		inner := slices.Clone(v.messages[before:])
		v.messages = v.messages[:before]
		v.fail("failed to match all allowed schemas")
		v.messages = append(v.messages, inner...)
	}
}

// choose returns the shape that a value claims to have, or nil after recording
// why it has none.
func (v *validator) choose(s *shape, n *node) *object {
	if len(s.refs) == 0 {
		return nil
	}
	if !s.union {
		return &objects[s.refs[0]]
	}
	kind := n.get("type")
	switch {
	case kind == nil:
		v.fail("missing required field: type")
		return nil
	case kind.kind != '"':
		v.in("type", func() { v.fail(wrongKind[isString]) })
		return nil
	}
	name := kind.text()
	for _, r := range s.refs {
		if objects[r].kind == name {
			return &objects[r]
		}
	}
	v.in("type", func() { v.fail("unsupported type: " + clip(name)) })
	return nil
}

// clip shortens a text that an error quotes.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "")
	}
	return s
}
