package engine

import (
	"container/list"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// cache keeps the documents used last, up to a number of them and to an
// estimated number of bytes.
type cache struct {
	mu    sync.Mutex
	limit int // of bytes
	most  int // documents
	size  int
	order *list.List // of *document, the latest first
	byKey map[string]*list.Element
}

func newCache(limit, most int) *cache {
	return &cache{limit: limit, most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// treeWeight estimates what a document takes without a plan.
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

// planWeight estimates what a plan takes.
func planWeight(p *plan) int { return 2048 + 600*p.fields }

func (c *cache) get(text string) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[text]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*document)
}

func (c *cache) put(d *document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[d.text] != nil || d.weight > c.limit {
		return
	}
	c.byKey[d.text] = c.order.PushFront(d)
	c.size += d.weight
	c.trim()
}

// grew adds what a plan of a document takes, should the document be kept.
func (c *cache) grew(d *document, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[d.text]
	if e == nil || e.Value != d {
		return
	}
	d.weight += bytes
	c.size += bytes
	c.trim()
}

func (c *cache) trim() {
	for c.size > c.limit || c.order.Len() > c.most {
		old := c.order.Remove(c.order.Back()).(*document)
		delete(c.byKey, old.text)
		c.size -= old.weight
	}
}
