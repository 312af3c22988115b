package engine

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// document is a valid document with the plans of its operations.
type document struct {
	text   string
	ast    *ast.QueryDocument
	ops    map[string]*operation
	weight atomic.Int64 // an estimate of its bytes, with those of its plans
}

// operation is one operation of a document. What @skip and @include remove
// depends on Boolean variables, so there is a plan for each combination of their
// values that was requested, up to maxVariants.
type operation struct {
	def        *ast.OperationDefinition
	conditions []string // the variables that @skip and @include use

	mu    sync.RWMutex
	plans map[string]*plan
}

const maxVariants = 32

// open parses, measures and validates a document.
func (e *Engine) open(text string) (*document, *Rejection) {
	if len(text) > e.options.MaxBytes {
		return nil, reject(Parsing, "The document is longer than %d bytes.", e.options.MaxBytes)
	}
	tree, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, e.options.MaxTokens)
	if err != nil {
		var located *gqlerror.Error
		if errors.As(err, &located) {
			located.Message = "Syntax Error: " + strings.TrimSuffix(located.Message, ".") + "."
			return nil, &Rejection{Parsing, fromParser(gqlerror.List{located})}
		}
		return nil, reject(Parsing, "%s", err)
	}
	if len(tree.Operations) == 0 && len(tree.Fragments) == 0 {
		return nil, reject(Parsing, "Syntax Error: Unexpected <EOF>.")
	}
	mendBlockStrings(tree, text)
	if r := checkLimits(tree, &e.options); r != nil {
		return nil, r
	}
	for _, op := range tree.Operations {
		for _, v := range op.VariableDefinitions {
			renameType(v.Type, e.options.TypeAliases)
		}
	}
	if list := validator.ValidateWithRules(e.schema, tree, nil); len(list) > 0 {
		return nil, &Rejection{Validating, fromParser(list)}
	}
	d := &document{text: text, ast: tree, ops: map[string]*operation{}}
	d.weight.Store(int64(treeWeight(text, tree)))
	for _, def := range tree.Operations {
		d.ops[def.Name] = &operation{def: def, conditions: conditionVariables(tree, def), plans: map[string]*plan{}}
	}
	return d, nil
}

// renameType replaces the name of an input type by the schema's name for it.
func renameType(t *ast.Type, aliases map[string]string) {
	for t.Elem != nil {
		t = t.Elem
	}
	if name := aliases[t.NamedType]; name != "" {
		t.NamedType = name
	}
}

// operation returns the operation with a name, or the only one.
func (d *document) operation(name string) (*operation, *Rejection) {
	if name != "" {
		if op := d.ops[name]; op != nil {
			return op, nil
		}
		return nil, reject(Choosing, "Unknown operation named %q.", name)
	}
	if len(d.ast.Operations) > 1 {
		return nil, reject(Choosing, "Must provide operation name if query contains multiple operations.")
	}
	for _, op := range d.ops {
		return op, nil
	}
	return nil, reject(Choosing, "Must provide an operation.")
}

// conditionVariables lists the variables in the conditions of an operation and
// of all fragments, in a fixed order.
func conditionVariables(tree *ast.QueryDocument, op *ast.OperationDefinition) []string {
	found := map[string]bool{}
	var walk func(ast.SelectionSet)
	note := func(ds ast.DirectiveList) {
		for _, d := range ds {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			if a := d.Arguments.ForName("if"); a != nil && a.Value.Kind == ast.Variable {
				found[a.Value.Raw] = true
			}
		}
	}
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				note(s.Directives)
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				note(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				note(s.Directives)
			}
		}
	}
	walk(op.SelectionSet)
	for _, f := range tree.Fragments {
		walk(f.SelectionSet)
	}
	return sortedKeys(found)
}

// plan returns the operation's plan for these variables.
func (e *Engine) plan(d *document, op *operation, vars map[string]any) (*plan, *Rejection) {
	key := make([]byte, len(op.conditions))
	for i, name := range op.conditions {
		on, ok := vars[name].(bool)
		if _, declared := vars[name]; declared && !ok {
			return nil, reject(Coercing, "Argument \"if\" of non-null type \"Boolean!\" must not be null.")
		}
		if on {
			key[i] = 1
		}
	}
	op.mu.RLock()
	p := op.plans[string(key)]
	op.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	p, r := e.compile(d, op, vars)
	if r != nil {
		return nil, r
	}
	op.mu.Lock()
	known := op.plans[string(key)] != nil || len(op.plans) >= maxVariants
	if !known {
		op.plans[string(key)] = p
	}
	op.mu.Unlock()
	if !known {
		d.weight.Add(int64(planWeight(p)))
		e.cache.Reweigh(d.text)
	}
	return p, nil
}
