package record

import (
	"slices"
	"strings"

	"understudy/internal/platform/strict"
)

// ToolPrefix is the prefix of the operations of tool servers, before the name of
// the tool.
const ToolPrefix = "mcp."

// Operations are the names of all operations in recordings; nil if they are
// unknown.
type Operations []string

// Tools returns the names of the tools among the operations, nil if there are none.
func (o Operations) Tools() (tools Operations) {
	for _, name := range o {
		if tool, ok := strings.CutPrefix(name, ToolPrefix); ok {
			tools = append(tools, tool)
		}
	}
	return tools
}

// In returns the operations that requests to a service may have, with those of all
// tool servers; "" means all services.
func (o Operations) In(service string) (of Operations) {
	if service == "" {
		return o
	}
	for _, name := range o {
		if strings.HasPrefix(name, service+".") || strings.HasPrefix(name, ToolPrefix) {
			of = append(of, name)
		}
	}
	return of
}

// Check reports whether a pattern, in which * matches any text, matches one of
// the operations. If it matches none, near is the name that was probably meant:
// the only one that ends with the pattern, or the nearest; "" for none.
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
