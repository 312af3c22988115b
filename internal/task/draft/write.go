package draft

import (
	"bytes"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Write returns the text of a task with its expectations replaced by the
// generated ones; everything else, including comments, remains.
func (d *Draft) Write(file []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil {
		return nil, err
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range d.Expect {
		one, err := d.Expect[i].node()
		if err != nil {
			return nil, err
		}
		list.Content = append(list.Content, one)
	}
	task := root.Content[0]
	set(task, "expect", list)
	set(task, "nothing_else", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(&root)
	return b.Bytes(), err
}

// set sets a member of a mapping.
func set(mapping *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
}

// node returns the expectation as one line of YAML, with members in a readable
// order.
func (x *Expectation) node() (*yaml.Node, error) {
	doc := x.document()
	out := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, name := range []string{x.Verb, "where", "change", "as"} {
		if doc[name] == nil {
			continue
		}
		v, err := flow(doc[name])
		if err != nil {
			return nil, err
		}
		set(out, name, v)
	}
	return out, nil
}

func flow(v any) (*yaml.Node, error) {
	n := &yaml.Node{}
	if members, ok := v.(map[string]any); ok {
		n.Kind, n.Style = yaml.MappingNode, yaml.FlowStyle
		for _, name := range slices.Sorted(maps.Keys(members)) {
			one, err := flow(members[name])
			if err != nil {
				return nil, err
			}
			set(n, name, one)
		}
		return n, nil
	}
	err := n.Encode(v)
	n.Style |= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode {
		n.Style &^= yaml.FlowStyle
	}
	return n, err
}
