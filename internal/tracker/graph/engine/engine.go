package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/cache"
)

// Engine executes documents against a bound schema. It is safe for concurrent use.
type Engine struct {
	schema    *ast.Schema
	objects   map[string]*objectType
	abstracts map[string]*abstractType
	input     *inputs
	options   Options
	cache     *cache.Bounded[string, *document]
}

// Request is what a client sends.
type Request struct {
	Query         string          `json:"query"`
	Variables     json.RawMessage `json:"variables"` // an object, null or nothing
	OperationName string          `json:"operationName"`
}

// Prepared is a valid request: it is planned, and its variables are coerced. It
// can be executed once.
type Prepared struct {
	e    *Engine
	op   *ast.OperationDefinition
	plan *plan
	vars map[string]any
	memo []memoArgs // of the plan's dynamic fields
}

type memoArgs struct {
	done bool
	args Args
	err  error
}

// Prepare parses, validates and plans a request. It caches documents. A non-nil
// Rejection is the reply.
func (e *Engine) Prepare(r Request) (*Prepared, *Rejection) {
	d, known := e.cache.Get(r.Query)
	if !known {
		var rejection *Rejection
		if d, rejection = e.open(r.Query); rejection != nil {
			return nil, rejection
		}
		e.cache.Put(d.text, d)
	}
	op, rejection := d.operation(r.OperationName)
	if rejection != nil {
		return nil, rejection
	}
	vars, errs := e.input.variables(op.def, r.Variables)
	if len(errs) > 0 {
		return nil, &Rejection{Coercing, errs}
	}
	p, rejection := e.plan(d, op, vars)
	if rejection != nil {
		return nil, rejection
	}
	return &Prepared{e: e, op: op.def, plan: p, vars: vars, memo: make([]memoArgs, p.dynamic)}, nil
}

// Schema returns the schema that the engine was built with; it must not be changed.
func (e *Engine) Schema() *ast.Schema { return e.schema }

// Mutates reports whether the document is a mutation.
func (p *Prepared) Mutates() bool { return p.plan.serial }

// Name returns the name of the operation, which may be empty.
func (p *Prepared) Name() string { return p.op.Name }

// RootFields returns the selected fields of the root type by their own names, not
// by aliases. The caller must not change the list.
func (p *Prepared) RootFields() []string { return p.plan.roots }

// Introspects reports whether __schema or __type is selected.
func (p *Prepared) Introspects() bool { return p.plan.introspects }

// Cost returns the cost estimated by the CostRule, with the page sizes in the
// request.
func (p *Prepared) Cost() float64 { return p.plan.cost.points(p) }

// args returns the coerced arguments of a field.
func (p *Prepared) args(f *field) (Args, error) {
	if f.dynamic < 0 {
		return f.given, nil
	}
	m := &p.memo[f.dynamic]
	if !m.done {
		m.done = true
		m.args, m.err = p.e.input.arguments(f.shape, f.args, p.vars)
	}
	return m.args, m.err
}

// Result is an executed request.
type Result struct {
	JSON   []byte   // the reply, appended to the buffer
	Errors []*Error // the errors in the reply
	Points float64  // the CostRule's Own, for what was really loaded
}

// Execute executes the request and appends the reply to buf, which it first grows
// by the length of the document's latest reply. Getters get state from State.
func (p *Prepared) Execute(ctx context.Context, state any, buf []byte) Result {
	buf = slices.Grow(buf, int(p.plan.size.Load()))
	x := &execution{Prepared: p, ctx: ctx, state: state, buf: buf, calls: make([]*Call, p.plan.fields)}
	x.meter = meter{x: x, step: min(objectStep, p.e.options.MaxObjects), room: min(firstRoom, p.e.options.MaxReply)}
	start := len(buf)
	x.run()
	p.plan.size.Store(int64(len(x.buf) - start))
	return Result{JSON: x.buf, Errors: x.errors, Points: x.points}
}

// Execute is Prepare and Execute in one call.
func (e *Engine) Execute(ctx context.Context, r Request, state any) Result {
	p, rejection := e.Prepare(r)
	if rejection != nil {
		return Result{JSON: rejection.AppendJSON(nil), Errors: rejection.Errors}
	}
	return p.Execute(ctx, state, nil)
}
