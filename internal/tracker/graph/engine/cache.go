package engine

import (
	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/cache"
)

// newCache returns a cache of documents by text, bounded by their estimated bytes
// and by their number.
func newCache(limit, most int) *cache.Bounded[string, *document] {
	return cache.NewBounded(limit, func(_ string, d *document) int { return int(d.weight.Load()) }).AtMost(most)
}

// treeWeight estimates the bytes of a document without its plans.
func treeWeight(text string, tree *ast.QueryDocument) int {
	nodes := 0
	var values func(ast.ChildValueList)
	value := func(v *ast.Value) {
		if v != nil {
			nodes++
			values(v.Children)
		}
	}
	values = func(list ast.ChildValueList) {
		for _, c := range list {
			value(c.Value)
		}
	}
	directives := func(list ast.DirectiveList) {
		for _, d := range list {
			nodes++
			for _, a := range d.Arguments {
				value(a.Value)
			}
		}
	}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		nodes += len(set)
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				for _, a := range s.Arguments {
					value(a.Value)
				}
				directives(s.Directives)
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				directives(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				directives(s.Directives)
			}
		}
	}
	for _, op := range tree.Operations {
		for _, v := range op.VariableDefinitions {
			nodes++
			value(v.DefaultValue)
		}
		walk(op.SelectionSet)
	}
	for _, f := range tree.Fragments {
		walk(f.SelectionSet)
	}
	return 2048 + len(text) + 400*nodes
}

// planWeight estimates the bytes of a plan.
func planWeight(p *plan) int { return 2048 + 600*p.fields }
