// Package fault defines the errors with which rules refuse a request.
//
// A rule returns *Error with a Kind and a Reason, the machine-readable code that
// the service declares beside the rule. The wire packages convert it to their
// dialect; this package contains neither HTTP nor a dialect.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the class of an Error. Wire packages have a default reply for each.
type Kind int

// The kinds. Everything that is not an *Error counts as Internal.
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

// Error is a refusal, with what a caller needs to correct the request.
type Error struct {
	Kind       Kind
	Reason     Reason
	Field      string        // the invalid argument, or empty
	Detail     string        // a sentence for people
	RetryAfter time.Duration // set with RateLimited and Unavailable
	Attrs      any           // additional data for a dialect; the service declares its type
	cause      error
}

// New returns an Error. detail may be empty.
func New(kind Kind, reason Reason, detail string) *Error {
	return &Error{Kind: kind, Reason: reason, Detail: detail}
}

// Error returns the reason, the detail and the cause, in this order.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare by Reason, so that a declared Error can be a sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Reason == e.Reason
}

// At returns a copy with the name of the invalid argument.
func (e *Error) At(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// Detailf returns a copy with another Detail.
func (e *Error) Detailf(format string, args ...any) *Error {
	c := *e
	c.Detail = fmt.Sprintf(format, args...)
	return &c
}

// With returns a copy with attributes for a dialect.
func (e *Error) With(attrs any) *Error {
	c := *e
	c.Attrs = attrs
	return &c
}

// After returns a copy with the time to wait before a retry.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Because returns a copy with a cause, which is logged but never returned to
// clients.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// As returns the *Error in err, and false if there is none: such an err counts as
// Internal.
func As(err error) (*Error, bool) {
	if e, ok := err.(*Error); ok { // the common case: errors.As is slow
		return e, true
	}
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// KindOf returns the kind of err, Internal for anything but an *Error.
func KindOf(err error) Kind {
	if e, ok := As(err); ok {
		return e.Kind
	}
	return Internal
}
