package engine

import "context"

// Call is what a getter knows of the field it answers for. It is the
// request's context too.
type Call struct {
	context.Context
	// Args are the field's arguments.
	Args Args

	x     *execution
	field *field // nil for a Loader, which may answer for several fields
	err   error  // of the arguments
}

// State returns what Execute got as state. It panics when that is no S.
func State[S any](c *Call) S { return c.x.state.(S) }

// Selects reports whether the document selects a field of the object that this
// field returns, or a field further below: Selects("nodes"), Selects("pageInfo", "endCursor").
// It is always true for a Loader.
func (c *Call) Selects(path ...string) bool {
	if c.field == nil {
		return true
	}
	return selects(c.field.targets, path)
}

func selects(targets []*selection, path []string) bool {
	for _, t := range targets {
		for _, f := range t.fields {
			if f.name == path[0] && (len(path) == 1 || selects(f.targets, path[1:])) {
				return true
			}
		}
	}
	return false
}

// call returns the Call of a field; one serves all its parents.
func (x *execution) call(f *field) *Call {
	c := x.calls[f.id]
	if c == nil {
		c = &Call{Context: x.ctx, x: x, field: f}
		c.Args, c.err = x.args(f)
		x.calls[f.id] = c
	}
	return c
}
