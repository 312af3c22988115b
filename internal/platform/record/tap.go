package record

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/obs"
)

// Tap is the ResponseWriter that sees what a request and its reply carry. The
// context of the request holds it too: From.
type Tap struct {
	http.ResponseWriter
	// Broken is how the request is broken on purpose, for who serves it.
	Broken Broken

	body       bodyTap
	query      string
	reply      []byte
	status     int
	path       string
	encoding   string   // of a request body that is no text as it comes
	secrets    []string // that the reply may repeat
	action     string   // for the audit log
	target     string
	seq        int64
	id         string
	received   time.Time
	caller     Caller
	operations []string
	trace      Trace
	tool       string // of a tool server, for a request that a tool makes
	parent     *Tap   // of the request in whose course this one is made
	context    tapContext
	running

	mu sync.Mutex // of what the requests in its course write: caller, operations
}

// NewTap puts itself between r's body and w.
func NewTap(w http.ResponseWriter, r *http.Request) *Tap {
	t := &Tap{ResponseWriter: w, running: running{w: w}, query: r.URL.RawQuery}
	if enc := r.Header["Content-Encoding"]; len(enc) > 0 && enc[0] != "" && enc[0] != "identity" {
		t.encoding = enc[0][:min(len(enc[0]), 20)]
	}
	if r.Body != nil && r.Body != http.NoBody {
		t.body.ReadCloser = r.Body
		r.Body = &t.body
	}
	if h := r.Header["Traceparent"]; len(h) == 1 {
		t.trace, _ = ParseTraceparent(h[0])
	}
	return t
}

// tapContext is the context of a request: it holds the tap and the request's id.
type tapContext struct {
	context.Context
	tap *Tap
}

type tapKey struct{}

// Value returns what the context carries under a key.
func (c *tapContext) Value(key any) any {
	switch key {
	case any(tapKey{}):
		return c.tap
	case obs.RequestIDKey:
		return c.tap.id
	}
	return c.Context.Value(key)
}

// Begin numbers the request, unless rec is nil, and returns its context, in
// which From finds the tap. A request that is made in the course of another one
// is noted as such, and belongs to its trace unless it names one itself.
func (t *Tap) Begin(ctx context.Context, rec *Recorder, id string, now time.Time) context.Context {
	t.id, t.received = id, now
	if t.parent = From(ctx); t.parent != nil {
		if call, ok := ctx.Value(toolKey{}).(toolCall); ok {
			t.tool = call.name
			if t.trace.IsZero() {
				t.trace = call.trace
			}
		}
		if t.trace.IsZero() {
			t.trace = t.parent.trace
		}
	}
	if rec != nil {
		t.seq = rec.next.Add(1)
		t.begin(rec)
		if made, ok := ctx.Value(madeKey{}).(*Made); ok {
			made.add(t.seq)
		}
	}
	t.context = tapContext{ctx, t}
	return &t.context
}

// Broken is how a request is broken on purpose.
type Broken struct {
	// Ask is called once, when the caller and what is asked are known. Its error
	// refuses the request. nil for nobody.
	Ask func(*http.Request) error
	// Answer writes an error in a form that depends on what was asked; nil where
	// the dialect of the service suffices.
	Answer func(http.ResponseWriter, error)
	Status int    // is sent instead of the handler's; 0 for that
	Fault  *Fault // is recorded; nil for none
}

// Begun calls Ask of the tap. It returns the error by which the request is refused.
func Begun(w http.ResponseWriter, r *http.Request) error {
	t, ok := w.(*Tap)
	if !ok || t.Broken.Ask == nil {
		return nil
	}
	ask := t.Broken.Ask
	t.Broken.Ask = nil
	return ask(r)
}

// Tool returns the tool that makes the request, "" for none.
func (t *Tap) Tool() string { return t.tool }

// Body returns the beginning of what was read of the body, and how many bytes
// were read.
func (t *Tap) Body() (beginning []byte, size int) { return t.body.data, t.body.size }

// Forget drops what was written of a reply, for another one.
func (t *Tap) Forget() { t.reply, t.status = nil, 0 }

// running is a request that is under way, in the environment of a recorder.
type running struct {
	in atomic.Pointer[Recorder]
	w  http.ResponseWriter
}

func (r *running) begin(rec *Recorder) {
	r.in.Store(rec)
	rec.InFlight.Add(1)
}

// End notes that the request is no longer under way. It may be called more than
// once.
func (r *running) End() {
	if rec := r.in.Swap(nil); rec != nil {
		rec.InFlight.Add(-1)
	}
}

// FlushError sends what was written so far. A reply that is sent in parts is a
// stream, which clients may keep open for ever: it is under way no longer.
func (r *running) FlushError() error {
	r.End()
	return http.NewResponseController(r.w).Flush()
}

// From returns the tap of the request that a context belongs to, nil for work
// that no request does.
func From(ctx context.Context) *Tap {
	t, _ := ctx.Value(tapKey{}).(*Tap)
	return t
}

// SeqOf returns the number of the request that a context belongs to, 0 for none.
func SeqOf(ctx context.Context) int64 {
	if t := From(ctx); t != nil {
		return t.seq
	}
	return 0
}

// Made collects the numbers of requests.
type Made struct {
	mu   sync.Mutex
	seqs []int64
}

type madeKey struct{}

// WithMade returns a context whose requests, made by handlers in this process,
// have their numbers collected in made.
func WithMade(ctx context.Context, made *Made) context.Context {
	return context.WithValue(ctx, madeKey{}, made)
}

func (m *Made) add(seq int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seqs = append(m.seqs, seq)
}

// Seqs returns the numbers of the requests so far.
func (m *Made) Seqs() []int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]int64{}, m.seqs...)
}

// toolCall is a call of a tool server's tool.
type toolCall struct {
	name  string
	trace Trace
}

type toolKey struct{}

// WithTool returns the context of a call of a tool, which the requests that the
// tool makes are recorded with. A traceparent that the call carries itself goes
// before that of its request.
func WithTool(ctx context.Context, name, traceparent string) context.Context {
	call := toolCall{name: name}
	t := From(ctx)
	if trace, ok := ParseTraceparent(traceparent); ok {
		call.trace = trace
	} else if t != nil {
		call.trace = t.trace
	}
	if t != nil {
		t.mu.Lock()
		if operation := ToolPrefix + name; !slices.Contains(t.operations, operation) {
			t.operations = append(t.operations[:len(t.operations):len(t.operations)], operation)
		}
		if t.trace.IsZero() {
			t.trace = call.trace
		}
		t.mu.Unlock()
	}
	return context.WithValue(ctx, toolKey{}, call)
}

// TraceOf returns the trace that a context belongs to: of the call of a tool,
// or of the request.
func TraceOf(ctx context.Context) Trace {
	if call, ok := ctx.Value(toolKey{}).(toolCall); ok && !call.trace.IsZero() {
		return call.trace
	}
	if t := From(ctx); t != nil {
		return t.trace
	}
	return Trace{}
}

// Seq returns the number of the request in its environment, 0 for one that is
// not recorded.
func (t *Tap) Seq() int64 { return t.seq }

// Actor returns what kind of caller made the request.
func (t *Tap) Actor() Actor { return t.caller.Actor }

// Caller returns who made the request, the zero Caller while that is not known.
func (t *Tap) Caller() Caller { return t.caller }

// Operations returns what was asked. The list must not be changed.
func (t *Tap) Operations() []string { return t.operations }

// Trace returns the trace that the request belongs to.
func (t *Tap) Trace() Trace { return t.trace }

// Hide names secrets that the reply may repeat in any form, and that must not
// be recorded. It does nothing for a writer that is no Tap.
func Hide(w http.ResponseWriter, secrets ...string) {
	if t, ok := w.(*Tap); ok {
		t.secrets = append(t.secrets, secrets...)
	}
}

// SetPath has the recording show another path, for one that holds a secret.
func SetPath(w http.ResponseWriter, path string) {
	if t, ok := w.(*Tap); ok {
		t.path = path
	}
}

// Audit marks the request as one that does something to a credential or an
// environment, for the audit log. It does nothing for a writer that is no Tap.
func Audit(w http.ResponseWriter, action, target string) {
	if t, ok := w.(*Tap); ok {
		t.action, t.target = action, target
	}
}

// Audited returns what Audit was called with, "" without a call, and who called.
func (t *Tap) Audited() (action, target, actor string) {
	return t.action, t.target, t.caller.Principal
}

// Status is the status that was sent, or 0.
func (t *Tap) Status() int { return t.status }

// WriteHeader sends the status, or the one of Broken.
func (t *Tap) WriteHeader(status int) {
	if t.Broken.Status != 0 {
		status = t.Broken.Status
	}
	if t.status == 0 {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the reply and keeps its beginning.
func (t *Tap) Write(b []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if room := MaxBody - len(t.reply); room > 0 {
		t.reply = append(t.reply, b[:min(room, len(b))]...)
	}
	return t.ResponseWriter.Write(b)
}

// WriteOwned is Write for a reply that nobody will change afterwards. A reply
// that is kept whole is kept without a copy; of a longer one the beginning is
// copied, since a part of it would hold all of it in memory.
func (t *Tap) WriteOwned(b []byte) (int, error) {
	if len(t.reply) > 0 || cap(b) > MaxBody {
		return t.Write(b)
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	t.reply = b[:len(b):len(b)]
	return t.ResponseWriter.Write(b)
}

// Unwrap allows http.ResponseController to reach the server's writer.
func (t *Tap) Unwrap() http.ResponseWriter { return t.ResponseWriter }

type bodyTap struct {
	io.ReadCloser
	data []byte // its beginning
	size int    // bytes that were read
}

func (b *bodyTap) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.size += n
	if room := MaxBody - len(b.data); room > 0 && n > 0 {
		b.data = append(b.data, p[:min(room, n)]...)
	}
	return n, err
}
