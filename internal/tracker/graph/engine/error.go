package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Error is an entry of a reply's errors.
type Error struct {
	Message    string         `json:"message"`
	Locations  []Location     `json:"locations,omitempty"`
	Path       []any          `json:"path,omitempty"` // response names and list indexes
	Extensions map[string]any `json:"extensions,omitempty"`
	Cause      error          `json:"-"` // the getter's error; nil for mistakes in the document
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the getter's error.
func (e *Error) Unwrap() error { return e.Cause }

// Location is a place in the document. Both numbers count from 1.
type Location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Stage is the stage at which a request was refused.
type Stage int

// The stages at which a request is refused as a whole, without data.
const (
	Parsing    Stage = iota + 1 // the document has a syntax error or is too long
	Validating                  // the document violates the schema or the limits
	Choosing                    // the operation name is unknown, or missing
	Coercing                    // a variable has a wrong type
)

// Rejection is a request that was not executed.
type Rejection struct {
	Stage  Stage
	Errors []*Error
}

func (r *Rejection) Error() string { return r.Errors[0].Message }

func reject(stage Stage, format string, args ...any) *Rejection {
	return &Rejection{stage, []*Error{{Message: fmt.Sprintf(format, args...)}}}
}

// AppendJSON appends the reply: an object with errors and no data.
func (r *Rejection) AppendJSON(buf []byte) []byte {
	return append(appendErrors(append(buf, `{"errors":`...), r.Errors), '}')
}

// appendErrors appends the list. When extensions cannot be encoded, which is a
// mistake of the presenter, the list contains only an error about that.
func appendErrors(buf []byte, errs []*Error) []byte {
	raw, err := json.Marshal(errs)
	if err != nil {
		return append(buf, `[{"message":"Internal server error"}]`...)
	}
	return append(buf, raw...)
}

// PanicError is the error that a presenter receives for a getter that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Presenter sets Message and Extensions of an error from e.Cause, the error that
// a getter returned. Message is initially the text of the cause.
type Presenter func(ctx context.Context, e *Error)

func fromParser(list gqlerror.List) []*Error {
	out := make([]*Error, len(list))
	for i, e := range list {
		out[i] = &Error{Message: e.Message}
		for _, l := range e.Locations {
			out[i].Locations = append(out[i].Locations, Location(l))
		}
	}
	return out
}

func at(positions ...*ast.Position) []Location {
	var out []Location
	for _, p := range positions {
		if p != nil {
			out = append(out, Location{p.Line, p.Column})
		}
	}
	return out
}
