package record

import (
	"slices"
	"strings"

	"understudy/internal/platform/strict"
)

// ToolPrefix begins the operations of tool servers: the name of a tool follows.
const ToolPrefix = "mcp."

// Operations are the names that recordings have for what can be asked. nil
// stands for names of which nothing is known.
type Operations []string

// Check reports whether a pattern, in which * stands for any text, fits one of
// the operations. Of one that fits none it returns the name that was perhaps
// meant: the only one that ends with the pattern, or the nearest; "" for none.
func (o Operations) Check(pattern string) (near string, ok bool) {
	if o == nil || slices.ContainsFunc(o, func(name string) bool { return Matches(pattern, name) }) {
		return "", true
	}
	for _, name := range o {
		if strings.HasSuffix(name, "."+pattern) {
			if near != "" {
				return "", false
			}
			near = name
		}
	}
	if near == "" && !strings.Contains(pattern, "*") {
		near = strict.Nearest(pattern, o)
	}
	return near, false
}
