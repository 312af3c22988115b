package otlp

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"understudy/internal/platform/jsontext"
)

// The prefixes of flattened messages: some instrumentations send an attribute for
// each leaf of a list of messages, from which the list is rebuilt.
var (
	flatInput  = []string{"llm.input_messages.", "gen_ai.prompt."}
	flatOutput = []string{"llm.output_messages.", "gen_ai.completion."}
)

// isRebuilt reports whether an attribute is a leaf of flattened messages, which are
// rebuilt for the args and the result of the event.
func isRebuilt(key string) bool {
	for _, prefixes := range [][]string{flatInput, flatOutput} {
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				return true
			}
		}
	}
	return false
}

// input returns the input of the operation, "" if the span has none.
func (r *reading) input() string {
	text := r.first(inputNames...)
	for _, prefix := range flatInput {
		text = cmp.Or(text, r.rebuilt(prefix))
	}
	return cmp.Or(text, r.contents(inputEvents))
}

// output returns the result of the operation, "" if the span has none.
func (r *reading) output() string {
	text := cmp.Or(r.first(outputNames...), r.answer())
	for _, prefix := range flatOutput {
		text = cmp.Or(text, r.rebuilt(prefix))
	}
	return cmp.Or(text, r.contents(outputEvents))
}

// answer returns the answer of a model in the attributes of the AI SDK: text, tool
// calls, or both as a JSON object. Without these it returns the AI SDK's object.
func (r *reading) answer() string {
	text, calls := r.first("ai.response.text"), r.first("ai.response.toolCalls")
	if text == "" || calls == "" {
		return cmp.Or(text, calls, r.first("ai.response.object"))
	}
	b := append([]byte(`{"text":`), jsontext.Append(nil, text)...)
	b = append(b, `,"toolCalls":`...)
	if !jsontext.Nests([]byte(calls), maxDepth) && fastjson.Validate(calls) == nil {
		b = append(b, calls...)
	} else {
		b = jsontext.Append(b, calls)
	}
	return string(append(b, '}'))
}

// The roles of the speakers, by the names of the span events that contain messages.
var (
	inputEvents = map[string]string{"gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
		"gen_ai.tool.message": "tool", "gen_ai.content.prompt": "user"}
	outputEvents = map[string]string{"gen_ai.choice": "assistant", "gen_ai.content.completion": "assistant"}
)

func isContent(event string) bool {
	return inputEvents[event] != "" || outputEvents[event] != ""
}

// contents returns the messages in the span's events as a JSON list, "" if there are
// none. roles are the events that it reads, with their roles.
func (r *reading) contents(roles map[string]string) string {
	var b []byte
	for _, e := range r.GetEvents() {
		role := roles[e.GetName()]
		if role == "" {
			continue
		}
		list := e.GetAttributes()
		if !slices.ContainsFunc(list, func(kv *commonpb.KeyValue) bool { return kv.GetKey() == "role" }) {
			list = append([]*commonpb.KeyValue{{Key: "role", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: role}}}}, list...)
		}
		if b != nil {
			b = append(b, ',')
		}
		b = appendObject(b, list)
	}
	if b == nil {
		return ""
	}
	return "[" + string(b) + "]"
}

// wrappers are parts of flattened names for objects with one member. They name
// the type of the elements of a list, which is clear from the name of the list.
var wrappers = map[string]bool{"message": true, "tool_call": true, "message_content": true}

// branch is a part of a value that is being rebuilt: a leaf, an object or a list.
type branch struct {
	leaf  *commonpb.AnyValue
	names []string // of members, in the order of arrival
	parts map[string]*branch
}

// rebuilt returns the list of messages whose leaves are attributes with a prefix, as
// JSON, "" if there are none.
func (r *reading) rebuilt(prefix string) string {
	root := &branch{}
	r.each(prefix, func(rest string, v *commonpb.AnyValue) bool {
		parts := strings.Split(rest, ".")
		if len(parts) > maxDepth || !isIndex(parts[0]) {
			return false
		}
		at := root
		for _, part := range parts {
			if wrappers[part] && at != root {
				continue
			}
			at = at.part(part)
		}
		at.leaf = v
		return true
	})
	if len(root.names) == 0 {
		return ""
	}
	return string(root.append(nil))
}

func (b *branch) part(name string) *branch {
	next := b.parts[name]
	if next == nil {
		if b.parts == nil {
			b.parts = map[string]*branch{}
		}
		next = &branch{}
		b.parts[name] = next
		b.names = append(b.names, name)
	}
	return next
}

func isIndex(name string) bool {
	_, err := strconv.ParseUint(name, 10, 31)
	return err == nil
}

// append appends a value as JSON. It writes an object whose members' names are all
// numbers as a list.
func (b *branch) append(out []byte) []byte {
	switch {
	case len(b.names) == 0:
		return appendValue(out, b.leaf)
	case !slices.ContainsFunc(b.names, func(name string) bool { return !isIndex(name) }):
		slices.SortFunc(b.names, func(x, y string) int {
			i, _ := strconv.Atoi(x)
			j, _ := strconv.Atoi(y)
			return cmp.Compare(i, j)
		})
		out = append(out, '[')
		for i, name := range b.names {
			out = b.parts[name].append(comma(out, i))
		}
		return append(out, ']')
	}
	out = append(out, '{')
	for i, name := range b.names {
		out = append(jsontext.Append(comma(out, i), name), ':')
		out = b.parts[name].append(out)
	}
	return append(out, '}')
}
