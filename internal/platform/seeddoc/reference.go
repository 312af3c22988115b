package seeddoc

import (
	"regexp"
	"slices"
	"strings"
)

// Made is the name under which documents refer to what a seed document created.
const Made = "made"

var (
	capture   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	reference = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]{0,99})(?:\.(.+))?$`)
)

// IsCapture reports whether a name can be given to a value, for references in
// later parts of a document: it consists of letters, digits and underscores, and
// is not Made.
func IsCapture(name string) bool { return name != Made && capture.MatchString(name) }

// Reference returns the name and the path in a reference such as "$question.ts";
// the path is "" for the whole value. ok is false for a text that is not a
// reference.
func Reference(text string) (name, path string, ok bool) {
	if !strings.HasPrefix(text, "$") { // the common case, tested without the regular expression
		return "", "", false
	}
	parts := reference.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// Refers reports whether a document contains a reference to a name, as a text or
// as the name of a member.
func Refers(n *Node, name string) bool {
	refers := func(text string) bool {
		found, _, ok := Reference(text)
		return ok && found == name
	}
	return n.Kind == String && refers(n.Scalar) || slices.ContainsFunc(n.Items, func(item *Node) bool { return Refers(item, name) }) ||
		slices.ContainsFunc(n.Members, func(m Member) bool { return refers(m.Name) || Refers(m.Value, name) })
}

// Unescaped returns the text "$5" for "$$5". ok is false for a text that does not
// begin with "$$".
func Unescaped(text string) (plain string, ok bool) {
	if !strings.HasPrefix(text, "$$") {
		return "", false
	}
	return text[1:], true
}
