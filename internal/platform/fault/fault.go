// Package fault is the one way a rule says no.
//
// A rule returns *Error with a Kind (what sort of refusal) and a Reason (the
// machine code that the service declares beside the rule). The wire packages
// turn a Reason into their dialect; nothing here knows HTTP or any dialect.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the sort of a refusal. Wire packages have a default answer for each.
type Kind int

// The kinds. Internal is what everything that is not an *Error counts as.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	Forbidden
	NotFound
	Conflict
	Unprocessable
	TooLarge
	RateLimited
	Unavailable
)

// Reason is a machine-readable code, such as "channel_not_found".
type Reason string

// Error is a refusal with what a caller needs to mend it.
type Error struct {
	Kind       Kind
	Reason     Reason
	Field      string        // the argument at fault, empty when none is
	Detail     string        // a sentence for people
	RetryAfter time.Duration // with RateLimited and Unavailable
	Attrs      any           // what a dialect adds to this reply; the service declares its type
	cause      error
}

// New makes an Error. Detail may be empty.
func New(kind Kind, reason Reason, detail string) *Error {
	return &Error{Kind: kind, Reason: reason, Detail: detail}
}

// Error gives the reason and the detail, and the cause last.
func (e *Error) Error() string {
	s := string(e.Reason)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare by Reason, so that a declared Error can be a sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Reason == e.Reason
}

// At gives a copy that names the argument at fault.
func (e *Error) At(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// Detailf gives a copy with another sentence.
func (e *Error) Detailf(format string, args ...any) *Error {
	c := *e
	c.Detail = fmt.Sprintf(format, args...)
	return &c
}

// With gives a copy that carries dialect attributes.
func (e *Error) With(attrs any) *Error {
	c := *e
	c.Attrs = attrs
	return &c
}

// After gives a copy that says when to try again.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Because gives a copy with a cause, which is logged and never shown.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// As finds the *Error in err. The second result is false for anything else, which is Internal.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// KindOf gives the kind of err; Internal for what is no *Error.
func KindOf(err error) Kind {
	if e, ok := As(err); ok {
		return e.Kind
	}
	return Internal
}
