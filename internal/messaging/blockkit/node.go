package blockkit

import (
	"unicode/utf8"

	"understudy/internal/messaging/rawjson"
	"understudy/internal/platform/jsontext"
)

// A node is a JSON value with its order of keys. Null members are dropped, and
// the last value of a repeated key wins.
type node struct {
	kind    byte   // '{', '[', '"', '0', 't' (true or false), 'n'
	raw     []byte // of scalars
	members []nodeMember
	items   []*node
}

type nodeMember struct {
	name  string
	value *node
}

// Bounds on documents.
const (
	maxDepth   = 32
	maxMembers = 256 // of one object
	maxValues  = 60_000
)

// parse parses a document; nil if it is invalid or exceeds the bounds.
func parse(b []byte) *node {
	if !rawjson.Valid(b, maxDepth) || jsontext.Values(b) > maxValues {
		return nil
	}
	return build(rawjson.Trim(rawjson.Clean(b)))
}

func build(b []byte) *node {
	switch c := b[0]; c {
	case '{':
		n := &node{kind: c}
		for k, v := range rawjson.Members(b) {
			if len(n.members) == maxMembers {
				return nil
			}
			if v[0] == 'n' {
				n.remove(rawjson.Unquote(k))
				continue
			}
			value := build(v)
			if value == nil {
				return nil
			}
			n.set(rawjson.Unquote(k), value)
		}
		return n
	case '[':
		n := &node{kind: c}
		for _, v := range rawjson.Elements(b) {
			item := build(v)
			if item == nil {
				return nil
			}
			n.items = append(n.items, item)
		}
		return n
	case '"', 'n':
		return &node{kind: c, raw: b}
	case 't', 'f':
		return &node{kind: 't', raw: b}
	}
	return &node{kind: '0', raw: b}
}

func (n *node) get(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

func (n *node) set(name string, value *node) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, nodeMember{name, value})
}

func (n *node) remove(name string) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members = append(n.members[:i], n.members[i+1:]...)
			return
		}
	}
}

// setSecond adds an absent member after the first.
func (n *node) setSecond(name string, value *node) {
	at := min(1, len(n.members))
	n.members = append(n.members, nodeMember{})
	copy(n.members[at+1:], n.members[at:])
	n.members[at] = nodeMember{name, value}
}

// setFirst adds an absent member before the others.
func (n *node) setFirst(name string, value *node) {
	n.members = append([]nodeMember{{name, value}}, n.members...)
}

// scalar returns a scalar as JSON, nil for an array or an object.
func (n *node) scalar() []byte {
	if n.kind == '"' {
		return stringNode(n.text()).raw
	}
	return n.raw
}

// text returns the content of a string, "" for other values.
func (n *node) text() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return rawjson.Unquote(n.raw)
}

func (n *node) length() int { return utf8.RuneCountInString(n.text()) }

func stringNode(s string) *node { return &node{kind: '"', raw: jsontext.Append(nil, s)} }

var trueNode, falseNode = &node{kind: 't', raw: []byte("true")}, &node{kind: 't', raw: []byte("false")}

func (n *node) appendTo(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsontext.Append(b, m.name), ':')
			b = m.value.appendTo(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendTo(b)
		}
		return append(b, ']')
	}
	return append(b, n.raw...)
}
