package engine

import (
	"math"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// mendBlockStrings sets the document's block strings to the values that the
// specification defines. The parser (v2.5.64) counts the first line when it
// computes the common indentation, so a text that starts right after the quotes
// keeps the indentation of its other lines.
func mendBlockStrings(tree *ast.QueryDocument, text string) {
	if !strings.Contains(text, `"""`) {
		return
	}
	m := &blockMender{runes: []rune(text)}
	for _, op := range tree.Operations {
		for _, v := range op.VariableDefinitions {
			m.value(v.DefaultValue)
		}
		m.directives(op.Directives)
		m.selections(op.SelectionSet)
	}
	for _, f := range tree.Fragments {
		m.directives(f.Directives)
		m.selections(f.SelectionSet)
	}
}

type blockMender struct{ runes []rune }

func (m *blockMender) selections(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			for _, a := range s.Arguments {
				m.value(a.Value)
			}
			m.directives(s.Directives)
			m.selections(s.SelectionSet)
		case *ast.InlineFragment:
			m.directives(s.Directives)
			m.selections(s.SelectionSet)
		case *ast.FragmentSpread:
			m.directives(s.Directives)
		}
	}
}

func (m *blockMender) directives(ds ast.DirectiveList) {
	for _, d := range ds {
		for _, a := range d.Arguments {
			m.value(a.Value)
		}
	}
}

func (m *blockMender) value(v *ast.Value) {
	if v == nil {
		return
	}
	for _, c := range v.Children {
		m.value(c.Value)
	}
	if v.Kind != ast.BlockValue || v.Position == nil {
		return
	}
	start, end := v.Position.Start+3, v.Position.End-3
	if start > end || end > len(m.runes) || string(m.runes[start-3:start]) != `"""` || string(m.runes[end:end+3]) != `"""` {
		return
	}
	v.Raw = blockString(string(m.runes[start:end]))
}

// blockString is BlockStringValue of the specification.
func blockString(raw string) string {
	raw = strings.NewReplacer(`\"""`, `"""`, "\r\n", "\n", "\r", "\n").Replace(raw)
	lines := strings.Split(raw, "\n")
	common := math.MaxInt
	for _, line := range lines[1:] {
		if indent := len(line) - len(strings.TrimLeft(line, " \t")); indent < len(line) {
			common = min(common, indent)
		}
	}
	for i, line := range lines {
		if i > 0 {
			lines[i] = line[min(common, len(line)):]
		}
	}
	blank := func(line string) bool { return strings.Trim(line, " \t") == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}
