package engine

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
)

// Options are the limits and hooks of an Engine; zero values mean the defaults.
type Options struct {
	Present Presenter // nil leaves messages as they are
	Cost    CostRule  // nil makes every document cost nothing

	TypeAliases map[string]string // other names of input types, which variables may be declared with

	// Reserve is called before a reply, with its loaded objects, uses more memory
	// than was reserved; bytes is the additional amount. Its error ends the
	// execution. It may be nil.
	Reserve func(ctx context.Context, bytes int) error

	MaxReply   int // bytes of a reply; 10 MiB
	MaxObjects int // loaded for one reply; 400,000
	MaxBytes   int // of a document's text; 200,000
	MaxTokens  int // of a document; 15,000
	MaxDepth   int // of nested selections, fragments opened; 30
	MaxFields  int // selected in all, fragments opened; 10,000
	MaxRepeats int // of one response name in one selection; 100
	CacheBytes int // an estimate of what cached documents take; 64 MiB
	CacheCount int // cached documents; 4,000
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		v     *int
		value int
	}{
		{&o.MaxReply, 10 << 20}, {&o.MaxObjects, 400_000}, {&o.MaxBytes, 200_000}, {&o.MaxTokens, 15_000}, {&o.MaxDepth, 30},
		{&o.MaxFields, 10_000}, {&o.MaxRepeats, 100}, {&o.CacheBytes, 64 << 20}, {&o.CacheCount, 4_000},
	} {
		if *d.v == 0 {
			*d.v = d.value
		}
	}
	return o
}

// census counts the selections of a document before validation. Validation
// compares all fields with the same response name, which takes quadratic time,
// and fragments multiply the selections of a short document.
type census struct {
	fragments map[string]*ast.FragmentDefinition
	options   *Options
	fields    int
}

// checkLimits refuses documents over the limits. It visits at most MaxFields
// selections, even when fragments contain each other.
func checkLimits(doc *ast.QueryDocument, o *Options) *Rejection {
	c := &census{fragments: map[string]*ast.FragmentDefinition{}, options: o}
	for _, f := range doc.Fragments {
		c.fragments[f.Name] = f
	}
	for _, op := range doc.Operations {
		if r := c.scope([]ast.SelectionSet{op.SelectionSet}, 1); r != nil {
			return r
		}
	}
	for _, f := range doc.Fragments {
		if r := c.scope([]ast.SelectionSet{f.SelectionSet}, 1); r != nil {
			return r
		}
	}
	return nil
}

// scope counts the selections for one object, and those below.
func (c *census) scope(sets []ast.SelectionSet, depth int) *Rejection {
	if depth > c.options.MaxDepth {
		return reject(Validating, "The document nests more than %d levels.", c.options.MaxDepth)
	}
	below := map[string][]ast.SelectionSet{}
	count := map[string]int{}
	spread := map[string]bool{}
	for len(sets) > 0 {
		set := sets[0]
		sets = sets[1:]
		for _, s := range set {
			if c.fields++; c.fields > c.options.MaxFields {
				return reject(Validating, "The document selects more than %d fields.", c.options.MaxFields)
			}
			key := ""
			switch s := s.(type) {
			case *ast.Field:
				key = s.Alias
				if len(s.SelectionSet) > 0 {
					below[key] = append(below[key], s.SelectionSet)
				}
			case *ast.InlineFragment:
				key = "... on " + s.TypeCondition
				sets = append(sets, s.SelectionSet)
			case *ast.FragmentSpread:
				key = "..." + s.Name
				if f := c.fragments[s.Name]; f != nil && !spread[s.Name] {
					spread[s.Name] = true
					sets = append(sets, f.SelectionSet)
				}
			}
			if count[key]++; count[key] > c.options.MaxRepeats {
				return reject(Validating, "The document selects %q more than %d times in one place.", key, c.options.MaxRepeats)
			}
		}
	}
	if len(spread) > c.options.MaxRepeats {
		return reject(Validating, "The document spreads more than %d fragments in one place.", c.options.MaxRepeats)
	}
	for _, key := range sortedKeys(below) {
		if r := c.scope(below[key], depth+1); r != nil {
			return r
		}
	}
	return nil
}
