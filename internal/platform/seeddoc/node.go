// Package seeddoc parses seed documents, which describe the content of a world.
//
// A document is a tree of nodes with their lines. A Reader copies a part of it
// into the structs that a service declares, and collects the problems, each with
// its line and field. Schema returns the same structs as a JSON schema. JSON is
// the only text form in this package.
package seeddoc

import (
	"fmt"
	"strings"

	"understudy/internal/platform/fault"
)

// Kind is the kind of a node.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

var kindNames = [...]string{"null", "a boolean", "a number", "a text", "a list", "a mapping"}

// Place is a place in the text of a document.
type Place struct {
	Line   int `json:"line"`             // from 1
	Column int `json:"column,omitempty"` // in characters, from 1; 0 and omitted if unknown
}

// Node is a value of a document. It is immutable after parsing.
type Node struct {
	Place
	Kind    Kind
	Scalar  string   // the text of a boolean, a number (in JSON form) or a string
	Digits  string   // the original digits of a number whose JSON form differs, such as 0049
	Items   []*Node  // of a list
	Members []Member // of a mapping, in order
}

// Member is a name of a mapping with its value.
type Member struct {
	Place // of the name
	Name  string
	Value *Node
}

// Member returns the value of a name, or nil.
func (n *Node) Member(name string) *Node {
	if n != nil {
		for _, m := range n.Members {
			if m.Name == name {
				return m.Value
			}
		}
	}
	return nil
}

// The bounds of a document, besides its size.
const (
	MaxNodes = 200_000
	MaxDepth = 64
)

var (
	// Malformed means that a text cannot be parsed as a document.
	Malformed = fault.New(fault.Invalid, "malformed_document", "The document is malformed.")
	// Invalid means that a document cannot be applied; its Attrs are Problems.
	Invalid = fault.New(fault.Unprocessable, "invalid_document", "The document cannot be applied.")
	// TooLarge means that a document has too many values.
	TooLarge = fault.New(fault.TooLarge, "document_too_large", "The document has more than 200000 values.")
)

// MalformedAt is Malformed with the line.
func MalformedAt(line int, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	return Malformed.Detailf("line %d: %s", line, message).With(Problems{{Place: Place{Line: line}, Message: message}})
}

// Pos is a place in a document. Reader sets it in structs that embed it.
type Pos struct {
	Place
	Field string // such as messaging.messages[3].user
	node  *Node  // the node at the place
}

// In returns the place of a member, or of p itself if the member is absent.
func (p Pos) In(name string) Pos {
	in := Pos{Place: p.Place, Field: p.nameOf(name)}
	if p.node != nil {
		for _, m := range p.node.Members {
			if m.Name == name {
				in.Place, in.node = m.Place, m.Value
			}
		}
	}
	return in
}

func (p Pos) nameOf(member string) string {
	if p.Field == "" {
		return member
	}
	return p.Field + "." + member
}

// Item returns the place of an item of a list.
func (p Pos) Item(i int) Pos {
	in := Pos{Place: p.Place, Field: fmt.Sprintf("%s[%d]", p.Field, i)}
	if p.node != nil && i < len(p.node.Items) {
		in.node = p.node.Items[i]
		in.Place = in.node.Place
	}
	return in
}

// Problem is an error at a place.
type Problem struct {
	Place
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Problems are the errors in a document, in the order of its lines.
type Problems []Problem

// Err returns Invalid with the problems, or nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	first := p[0]
	detail := fmt.Sprintf("line %d: %s", first.Line, first.Message)
	if first.Field != "" {
		detail = fmt.Sprintf("line %d, %s: %s", first.Line, first.Field, first.Message)
	}
	return Invalid.Detailf("%s", detail).With(p)
}

// Refuse returns Invalid for this place.
func (p Pos) Refuse(format string, args ...any) error {
	return Problems{{p.Place, p.Field, fmt.Sprintf(format, args...)}}.Err()
}

// Blame returns the error of a rule with the place in the document that caused
// it. It returns an error that is not a fault, or that already has a place,
// unchanged.
func (p Pos) Blame(err error) error {
	e, ok := fault.As(err)
	if !ok || e.Is(Invalid) || e.Kind == fault.Unavailable || e.Kind == fault.Internal {
		return err
	}
	message := e.Detail
	if message == "" {
		message = strings.ReplaceAll(string(e.Reason), "_", " ")
	}
	return p.member(e.Field).Refuse("%s", strings.TrimSuffix(message, "."))
}

// member returns the place of the member for a rule's field, such as "state" for
// stateId, or of the whole node if there is no such member.
func (p Pos) member(rule string) Pos {
	if p.node == nil || rule == "" {
		return p
	}
	var snake strings.Builder
	for _, c := range rule[strings.LastIndexByte(rule, '.')+1:] {
		if c >= 'A' && c <= 'Z' {
			snake.WriteByte('_')
			c += 'a' - 'A'
		}
		snake.WriteRune(c)
	}
	name := snake.String()
	short := name
	for _, suffix := range []string{"_id", "_ids", "_at"} {
		short = strings.TrimSuffix(short, suffix)
	}
	for _, candidate := range []string{name, short, short + "s", name[strings.LastIndexByte(name, '_')+1:]} {
		if p.node.Member(candidate) != nil {
			return p.In(candidate)
		}
	}
	return p
}
