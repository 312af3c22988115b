package httpkit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"time"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// Breakable is a Dialect into whose requests faults can be injected.
type Breakable interface {
	// Refusal returns the error that WriteError writes with a code of the dialect
	// ("" for the usual code of the status), and the status of that reply. It
	// returns nil for an unknown code.
	Refusal(status int, code string) (*fault.Error, int)
}

// errInjected is the cause of injected errors.
var errInjected = errors.New("a fault rule says so")

// IsInjected reports whether a fault rule injected an error. Dialects do not log
// such errors as failures.
func IsInjected(err error) bool { return errors.Is(err, errInjected) }

// KindOf returns the kind of error for a status.
func KindOf(status int) fault.Kind {
	for _, k := range []fault.Kind{fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Conflict,
		fault.Unprocessable, fault.TooLarge, fault.RateLimited, fault.Unavailable} {
		if Status(k) == status {
			return k
		}
	}
	if status < http.StatusInternalServerError {
		return fault.Invalid
	}
	return fault.Internal
}

// brokenRequest applies fault rules to a request.
type brokenRequest struct {
	a      *Around
	tap    *record.Tap
	writer *brokenWriter // nil unless a rule drops or truncates the reply
	path   string
	asked  *http.Request
	read   match.Content // of the body, if isRead
	isRead bool          // a rule has read the body
	header http.Header   // of the reply, before the handler ran
	note   *record.Fault
	do     *inject.Do
}

// prepareFaults applies the rules when the caller of a request is known.
func (a *Around) prepareFaults(tap *record.Tap, r *http.Request) *brokenRequest {
	b := &brokenRequest{a: a, tap: tap, path: r.URL.Path}
	tap.Broken.Ask = b.meet
	return b
}

// breakReply inserts a writer beneath the tap. With lost it discards the reply,
// otherwise what follows the first left bytes. What was sent before is not lost.
func (b *brokenRequest) breakReply(lost bool, left int) {
	record.Insert(b.tap, func(w http.ResponseWriter) http.ResponseWriter {
		b.writer = &brokenWriter{ResponseWriter: w, lost: lost, left: left}
		return b.writer
	})
}

// meet finds the matching rule, waits, and prepares its effect. It returns the
// error with which to reply instead of executing the request.
func (b *brokenRequest) meet(r *http.Request) error {
	if IsLooking(r.Context()) {
		return nil
	}
	b.asked = r
	f := b.a.Faults.MeetRequest(&inject.Request{Service: b.a.Service, Operations: b.tap.Operations(), Method: r.Method, Path: b.path,
		By: b.tap.Caller(), Tool: b.tap.Tool(), Body: b.content})
	b.read.Close()
	if f == nil {
		return nil
	}
	b.note = &record.Fault{ID: f.ID, Do: f.Name}
	b.tap.Broken.Fault = b.note
	if f.Delay > 0 {
		wait(r.Context(), f.Delay, b.a.Faults.Ended())
	}
	if b.do = f.Do; b.do == nil {
		return nil
	}
	b.header = maps.Clone(b.tap.Header())
	switch {
	case b.do.Error != nil:
		return b.refusal(b.do.Error)
	case b.do.Drop == "before":
		panic(http.ErrAbortHandler)
	case b.do.Drop == "after", b.do.ErrorAfter != nil:
		b.breakReply(true, -1)
	case b.do.Cut != nil:
		b.breakReply(false, *b.do.Cut)
	}
	return nil
}

// content returns the parsed body of the request.
func (b *brokenRequest) content() *match.Content {
	if !b.isRead {
		b.isRead = true
		b.read.Read(b.body(b.asked))
	}
	return &b.read
}

func wait(ctx context.Context, d time.Duration, ended <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-ended:
	}
}

// refusal returns an error in the dialect of the service, and sets its status.
func (b *brokenRequest) refusal(e *inject.Refusal) error {
	refused, status := fault.New(KindOf(e.Status), "", ""), e.Status
	if d, ok := b.a.Dialect.(Breakable); ok {
		if refused, status = d.Refusal(e.Status, e.Code); refused == nil { // the code is of another dialect of the service
			refused, status = d.Refusal(e.Status, "")
		}
	}
	if e.Message != "" {
		refused = refused.Detailf("%s", e.Message)
	}
	switch {
	case e.RetryAfter > 0:
		refused = refused.After(time.Duration(e.RetryAfter * float64(time.Second)))
	case refused.Kind == fault.RateLimited && refused.RetryAfter == 0: // as every spent limit
		refused = refused.After(time.Second)
	}
	b.tap.Broken.Status = status
	return refused.Because(errInjected)
}

// finish completes the reply after the handler has returned or panicked, and
// reports whether to close the connection.
func (b *brokenRequest) finish(r *http.Request, panicked bool) (abort bool) {
	if b.note == nil {
		return false
	}
	if b.do == nil { // the rule has only a delay
		b.note.Committed = !panicked
		return false
	}
	b.note.Committed = !panicked && b.do.Error == nil && b.do.Drop != "before"
	switch {
	case b.do.ErrorAfter != nil:
		b.writer.lost = false
		header := b.tap.Header()
		clear(header)
		maps.Copy(header, b.header)
		b.tap.Forget()
		if err := b.refusal(b.do.ErrorAfter); b.tap.Broken.Answer != nil {
			b.tap.Broken.Answer(b.tap, err)
		} else {
			b.a.Dialect.WriteError(b.tap, r, err)
		}
	case b.do.Cut != nil:
		_ = http.NewResponseController(b.writer.ResponseWriter).Flush()
		return true
	}
	return b.do.Drop != ""
}

// body returns the text of a request's body, or of its query, for rules; nil if
// it was compressed or is longer than recordings keep.
func (b *brokenRequest) body(r *http.Request) []byte {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil
	}
	text, size := b.tap.Body()
	if size == 0 && r.Body != nil && r.Body != http.NoBody {
		var err error
		text, err = io.ReadAll(io.LimitReader(r.Body, record.MaxBody+1))
		rest := io.Reader(r.Body)
		if err != nil {
			rest = failed{err}
		}
		r.Body = readBefore{io.MultiReader(bytes.NewReader(text), rest), r.Body}
		size = len(text)
	}
	if size > record.MaxBody {
		return nil
	}
	if len(text) == 0 {
		text = []byte(r.URL.RawQuery)
	}
	return text
}

// readBefore is a body of which the beginning has already been read.
type readBefore struct {
	io.Reader
	io.Closer
}

// failed is a reader that returns an error.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// brokenWriter is the writer of a reply that fault rules may drop or truncate.
type brokenWriter struct {
	http.ResponseWriter
	lost bool
	left int // bytes of the body; -1 for all
}

// WriteHeader sends the status, unless the reply is dropped.
func (w *brokenWriter) WriteHeader(status int) {
	if !w.lost {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write sends the part of the reply that is not dropped. The handler does not
// notice.
func (w *brokenWriter) Write(b []byte) (int, error) {
	switch {
	case w.lost, w.left == 0:
		return len(b), nil
	case w.left > 0:
		part := b[:min(w.left, len(b))]
		w.left -= len(part)
		if _, err := w.ResponseWriter.Write(part); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// FlushError flushes, unless the reply is dropped.
func (w *brokenWriter) FlushError() error {
	if w.lost {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *brokenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
