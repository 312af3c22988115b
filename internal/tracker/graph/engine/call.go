package engine

import "context"

// Call is the argument of a getter: it describes the field. It is also the
// context of the request.
type Call struct {
	context.Context
	// Args are the field's arguments.
	Args Args

	x     *execution
	field *field // nil for a Loader, which may answer for several fields
	err   error  // of the arguments
}

// State returns the state that was passed to Execute. It panics when that is not
// an S.
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

// call returns the Call of a field, which all its parents share.
func (x *execution) call(f *field) *Call {
	c := x.calls[f.id]
	if c == nil {
		c = &Call{Context: x.ctx, x: x, field: f}
		c.Args, c.err = x.args(f)
		x.calls[f.id] = c
	}
	return c
}
