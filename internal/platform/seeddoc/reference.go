package seeddoc

import (
	"regexp"
	"slices"
	"strings"
)

// Made is the name that documents have for what a seed document made.
const Made = "made"

var (
	capture   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	reference = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]{0,99})(?:\.(.+))?$`)
)

// IsCapture reports whether a name can be given to something, so that later parts
// of a document refer to it: it has letters, digits and underscores, and is not Made.
func IsCapture(name string) bool { return name != Made && capture.MatchString(name) }

// Reference returns the name and the path in a text such as "$question.ts", which
// stands for what has that name; the path is "" for the whole. ok is false for
// a text that is no reference.
func Reference(text string) (name, path string, ok bool) {
	if !strings.HasPrefix(text, "$") { // most texts, and a pattern costs more
		return "", "", false
	}
	parts := reference.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// Refers reports whether a text in a document, or the name of a member, is a
// reference to what has a name.
func Refers(n *Node, name string) bool {
	refers := func(text string) bool {
		found, _, ok := Reference(text)
		return ok && found == name
	}
	return n.Kind == String && refers(n.Scalar) || slices.ContainsFunc(n.Items, func(item *Node) bool { return Refers(item, name) }) ||
		slices.ContainsFunc(n.Members, func(m Member) bool { return refers(m.Name) || Refers(m.Value, name) })
}

// Unescaped returns the text that "$$5" stands for, which begins with one $. ok is
// false for a text that does not begin with two.
func Unescaped(text string) (plain string, ok bool) {
	if !strings.HasPrefix(text, "$$") {
		return "", false
	}
	return text[1:], true
}
