// Package formula parses and evaluates the formulas of calculated properties:
// arithmetic, comparison, logic, a few functions and conditions over the other
// properties of a record, whose values callers pass by name.
package formula

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kind is the type of an expression's value.
type Kind string

// The kinds. A date in arithmetic is a number, its milliseconds since 1970.
const (
	Number Kind = "number"
	Text   Kind = "string"
	Bool   Kind = "bool"
)

const (
	// maxText is the longest formula, in bytes.
	maxText = 10_000
	// maxDepth is the deepest nesting of expressions.
	maxDepth = 100
	// maxResult is the longest computed text, in bytes.
	maxResult = 65_536
)

// Formula is a parsed formula. It is safe for concurrent use.
type Formula struct {
	root   node
	kind   Kind
	reads  []Read
	places []Read
}

// Error describes an error in a formula.
type Error struct {
	At      int // byte offset
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("character %d: %s", e.At+1, e.Message) }

// Parse parses a formula. Its error is an *Error.
func Parse(text string) (*Formula, error) {
	if len(text) > maxText {
		return nil, &Error{maxText, fmt.Sprintf("a formula can have at most %d bytes", maxText)}
	}
	words, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{words: words}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if w := p.peek(); w.kind != end {
		return nil, p.fail("%q does not fit here", w.text)
	}
	places := slices.Clone(p.reads)
	slices.SortFunc(p.reads, func(a, b Read) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return &Formula{root, root.kind(), slices.Compact(p.reads), places}, nil
}

// Kind returns the type of the result.
func (f *Formula) Kind() Kind { return f.kind }

// Read is a property that a formula reads, with the kind it reads it as.
type Read struct {
	Name string
	Kind Kind
}

// Reads returns the properties that the formula reads, in the order of names.
func (f *Formula) Reads() []Read { return f.reads }

// Places returns a Read for each occurrence of a property in the formula.
func (f *Formula) Places() []Read { return f.places }

// Compute returns the result as text; "" if an operand has no value. read returns
// the value of a property, "" for none.
func (f *Formula) Compute(read func(name string) string) string {
	v := f.root.compute(read)
	if v.null {
		return ""
	}
	return v.text(f.kind)
}
