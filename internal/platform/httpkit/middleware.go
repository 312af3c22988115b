package httpkit

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/obs"
	"understudy/internal/platform/program"
	"understudy/internal/platform/record"
)

// Dialect writes the errors of requests that do not reach a service's handlers.
type Dialect interface {
	// WriteError replies with err in the service's form; anything but a fault.Error
	// is an internal error without details.
	WriteError(w http.ResponseWriter, r *http.Request, err error)
}

// Around configures the middleware of a service.
type Around struct {
	Service  string
	Dialect  Dialect
	Log      *slog.Logger
	Recorder *record.Recorder
	Faults   *inject.Faults             // injected faults; nil for none
	NewID    func() string              // generates request ids
	Reads    func(r *http.Request) bool // reports whether a request other than GET and HEAD only reads; may be nil
	// Graded: the environment is for runs of agents, whose reads are recorded
	// whatever client they name.
	Graded  bool
	Observe func(service string, status int, took time.Duration)
	// Audit stores an entry about a change of credentials; may be nil.
	Audit func(r *http.Request, e program.Entry)
}

// Wrap returns a handler that adds a request id, records and counts each request,
// and replies to a panic in the service's dialect. It ignores X-Request-Id of
// clients; a call from one of our own handlers has the id of that handler's
// request.
func (a Around) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := clock.Real()
		client := r.Header.Get(ClientHeader)
		looks := client == WebClient && a.isReading(r)
		id := obs.RequestID(r.Context())
		switch {
		case looks:
			id = lookIDs.Hex(20)
			r = r.WithContext(context.WithValue(r.Context(), lookingKey{}, &look{}))
		case id == "":
			id = a.NewID()
		}
		w.Header()["X-Request-Id"] = []string{id}
		path := r.URL.Path
		var broken *brokenRequest
		rec, tap := a.Recorder, record.NewTap(inOneWrite(w, r), r)
		if looks {
			rec = nil
		}
		if a.Faults.OnRequests() && (!looks || a.Graded) {
			broken = a.prepareFaults(tap, r)
		}
		if looks && a.Graded {
			lookOf(r.Context()).record = func() { record.Number(tap, a.Recorder) }
		}
		r = r.WithContext(budget.WithOwner(tap.Begin(r.Context(), rec, id, began), &caller{a.Recorder, tap, r.RemoteAddr}))
		Reached(r.Context())
		defer tap.End()
		defer func() {
			p := recover()
			abort := broken != nil && broken.finish(r, p != nil)
			if abort && p == http.ErrAbortHandler {
				p = nil
			}
			if p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				if p == ReplyTooLarge {
					a.Dialect.WriteError(tap, r, ReplyTooLarge)
					p = "a reply was too long: a list has no bound"
				}
				a.Log.Error("a request handler panicked", "service", a.Service, "request_id", id, "panic", p, "stack", string(debug.Stack()))
				if tap.Status() == 0 {
					a.Dialect.WriteError(tap, r, errPanic)
				}
			}
			took := clock.Real().Sub(began)
			a.Observe(a.Service, tap.Status(), took)
			if action, target, actor := tap.Audited(); action != "" && a.Audit != nil && tap.Status() < http.StatusBadRequest {
				a.Audit(r, program.Entry{Action: action, Target: target, Actor: actor, Service: a.Service, Address: ClientAddress(r), RequestID: id})
			}
			if !IsLooking(r.Context()) {
				a.Recorder.Add(tap, record.Request{ID: id, Service: a.Service, Method: r.Method, Path: path, Client: clientName(client), Duration: took})
			}
			if abort { // recorded before its connection is closed
				panic(http.ErrAbortHandler)
			}
		}()
		if HasBadURL(r) {
			a.Dialect.WriteError(tap, r, BadURL)
			return
		}
		next.ServeHTTP(tap, r)
	})
}

// caller is the budget's owner of a request.
type caller struct {
	recorder *record.Recorder // of the environment
	tap      *record.Tap
	address  string
}

// Owner returns the account or key in its environment, or the address until the
// caller is known.
func (c *caller) Owner() any {
	if principal := c.tap.Caller().Principal; principal != "" {
		return struct {
			environment *record.Recorder
			principal   string
		}{c.recorder, principal}
	}
	return clientAddress(c.address)
}

// lookIDs generates the request ids of IsLooking requests, which must not draw
// from the environment's sequence.
var lookIDs = ids.Random()

// clientName returns the recorded form of a client's name.
func clientName(text string) string {
	if text == "" || len(text) > 40 || !IsText(text) {
		return ""
	}
	return text
}

type panicError struct{}

func (panicError) Error() string { return "the handler panicked" }

var errPanic error = panicError{}
