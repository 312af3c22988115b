package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// execution is one run of a Prepared request.
type execution struct {
	*Prepared
	ctx    context.Context
	state  any
	calls  []*Call // by field id, as needed
	buf    []byte
	path   []step
	errors []*Error
	points float64
	meter  meter
}

// step is a response name, or an index when name is nil.
type step struct {
	name  any
	index int
}

// run loads and writes the parts of the plan one after another. When a null
// reaches the root, the reply's data is null and the remaining parts are not run.
func (x *execution) run() {
	x.buf = append(x.buf, `{"data":`...)
	mark := len(x.buf)
	ok := true
	err := untilStop(x, func() error {
		x.buf = append(x.buf, '{')
		for i, part := range x.plan.parts {
			root := &level{sel: part, objects: []any{&Root{}}}
			x.load(root)
			if i > 0 {
				x.buf = append(x.buf, ',')
			}
			if ok = x.fields(root, 0); !ok {
				return nil
			}
		}
		x.buf = append(x.buf, '}')
		return nil
	})
	if err != nil {
		x.path = nil
		x.buf = x.buf[:mark]
		x.meter.errors = 0
		x.fail(nil, err)
	}
	if err != nil || !ok {
		x.buf = append(x.buf[:mark], "null"...)
	}
	if len(x.errors) > 0 {
		x.buf = appendErrors(append(x.buf, `,"errors":`...), x.errors)
	}
	x.buf = append(x.buf, '}')
}

// untilStop calls do and returns the error of a stop. A stop discards everything
// that was written, including errors.
func untilStop(x *execution, do func() error) (err error) {
	defer func() {
		v := recover()
		switch s, ok := v.(*stop); {
		case ok:
			x.errors = nil
			err = s.cause
		case v != nil:
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return do()
}

// object writes an object. It returns false when the object is null because of a
// null in a non-null field.
func (x *execution) object(l *level, i int32) bool {
	x.buf = append(x.buf, '{')
	if !x.fields(l, i) {
		return false
	}
	x.buf = append(x.buf, '}')
	return true
}

func (x *execution) fields(l *level, i int32) bool {
	for _, p := range l.sel.pieces {
		x.buf = append(x.buf, p.text...)
		f := p.field
		if f == nil {
			break
		}
		ok := true
		switch {
		case f.leaf != nil:
			ok = x.leaf(f, l.objects[i])
			if len(x.buf) > x.meter.room {
				x.meter.written(len(x.buf))
			}
		case f.list:
			ok = x.list(f, l.kids[f.link], i)
		default:
			ok = x.single(f, l.kids[f.link], i)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (x *execution) leaf(f *field, parent any) bool {
	mark := len(x.buf)
	var c *Call
	var err error
	if f.calls || f.dynamic >= 0 {
		c = x.call(f)
		err = c.err
	}
	if err == nil {
		var buf []byte
		if buf, err = f.leaf(x.buf, c, parent); err == nil {
			x.buf = buf
			return true
		}
	}
	x.buf = x.buf[:mark]
	if err != errNull {
		return x.failed(f, err)
	}
	return x.null(f)
}

func (x *execution) single(f *field, k *children, i int32) bool {
	c := k.all[i]
	switch c.index {
	case isNull:
		return x.null(f)
	case isFailed:
		return x.failed(f, k.errs[i])
	}
	mark := len(x.buf)
	x.path = append(x.path, step{name: f.alias})
	ok := x.object(&k.levels[c.level], c.index)
	x.path = x.path[:len(x.path)-1]
	return ok || x.bubble(mark, f.def.Type.NonNull)
}

func (x *execution) list(f *field, k *children, i int32) bool {
	s := k.lists[i]
	switch s.start {
	case isNull:
		return x.null(f)
	case isFailed:
		return x.failed(f, k.errs[i])
	}
	mark := len(x.buf)
	x.path = append(x.path, step{name: f.alias})
	ok := x.items(f, k, s)
	x.path = x.path[:len(x.path)-1]
	return ok || x.bubble(mark, f.def.Type.NonNull)
}

func (x *execution) items(f *field, k *children, s span) bool {
	nonNull := f.def.Type.Elem.NonNull
	x.buf = append(x.buf, '[')
	for n := s.start; n < s.end; n++ {
		if n > s.start {
			x.buf = append(x.buf, ',')
		}
		mark := len(x.buf)
		x.path = append(x.path, step{index: int(n - s.start)})
		c := k.all[n]
		ok := false
		switch c.index {
		case isNull:
			if nonNull {
				x.fail(f, errNonNull(f))
			}
		case isFailed:
			x.fail(f, k.items[n])
		default:
			ok = x.object(&k.levels[c.level], c.index)
		}
		x.path = x.path[:len(x.path)-1]
		if !ok && !x.bubble(mark, nonNull) {
			return false
		}
	}
	x.buf = append(x.buf, ']')
	return true
}

// bubble replaces what was written since mark by null. It returns false if null
// is not allowed here.
func (x *execution) bubble(mark int, nonNull bool) bool {
	x.buf = x.buf[:mark]
	if nonNull {
		return false
	}
	x.buf = append(x.buf, "null"...)
	return true
}

// null writes null for a field of the current object.
func (x *execution) null(f *field) bool {
	if f.def.Type.NonNull {
		return x.failed(f, errNonNull(f))
	}
	x.buf = append(x.buf, "null"...)
	return true
}

func errNonNull(f *field) error {
	return fmt.Errorf("Cannot return null for non-nullable field %s.%s.", f.parent.def.Name, f.name)
}

// failed reports an error of a field of the current object and writes null.
func (x *execution) failed(f *field, err error) bool {
	x.path = append(x.path, step{name: f.alias})
	x.fail(f, err)
	x.path = x.path[:len(x.path)-1]
	return x.bubble(len(x.buf), f.def.Type.NonNull)
}

// errorBytes is the approximate size of an error in a reply, without its message
// and path.
const errorBytes = 300

// fail reports an error at the path; f is nil for the request as a whole.
func (x *execution) fail(f *field, cause error) {
	e := &Error{Message: cause.Error(), Cause: cause}
	if f != nil {
		e.Locations = f.locations
	}
	var own *Error
	if errors.As(cause, &own) { // a getter may return an Error with the message to show
		e.Message, e.Extensions = own.Message, own.Extensions
		if own.Locations != nil {
			e.Locations = own.Locations
		}
	}
	var argument *ArgumentError
	if errors.As(cause, &argument) && argument.Locations != nil {
		e.Locations = argument.Locations
	}
	for _, s := range x.path {
		if s.name != nil {
			e.Path = append(e.Path, s.name)
		} else {
			e.Path = append(e.Path, s.index)
		}
	}
	if x.e.options.Present != nil {
		x.e.options.Present(x.ctx, e)
	} else if _, panicked := cause.(*PanicError); panicked {
		e.Message = "Internal server error"
	}
	x.errors = append(x.errors, e)
	if x.meter.errors += errorBytes + len(e.Message)*3 + len(e.Path)*16; x.meter.errors > x.e.options.MaxReply {
		x.meter.written(x.meter.errors)
	}
}
