package agentdiff

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
)

// mapping returns a mapping of names and values, in this order, without empty
// values.
func mapping(pairs ...any) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := reflect.ValueOf(pairs[i+1]); !v.IsValid() || v.IsZero() || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0 {
			continue
		}
		add(out, pairs[i].(string), pairs[i+1])
	}
	return out
}

// add adds a member to a mapping, even if its value is empty.
func add(to *yaml.Node, name string, value any) {
	to.Content = append(to.Content, node(name), node(value))
}

// node returns a value as a node, with sorted mappings.
func node(v any) *yaml.Node {
	switch v := v.(type) {
	case *yaml.Node:
		return v
	case []*yaml.Node:
		return &yaml.Node{Kind: yaml.SequenceNode, Content: v}
	case map[string]any:
		out := &yaml.Node{Kind: yaml.MappingNode}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(out, name, v[name])
		}
		return out
	case []any:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for _, one := range v {
			out.Content = append(out.Content, node(one))
		}
		return out
	}
	n := &yaml.Node{}
	_ = n.Encode(v) // these types always encode
	return n
}

// inLine sets a node to be written on one line.
func inLine(n *yaml.Node) *yaml.Node {
	n.Style |= yaml.FlowStyle
	return n
}

// write encodes a document with a comment at its head.
func write(comment string, n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(comment)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(n)
	return b.Bytes(), err
}
