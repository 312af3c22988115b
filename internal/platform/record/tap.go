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

// Tap is a ResponseWriter that copies a request and its reply. From returns it
// from the request's context.
type Tap struct {
	http.ResponseWriter
	// Broken configures the injected faults of the request.
	Broken Broken

	body       bodyTap
	query      string
	reply      []byte
	copied     *[]byte // the memory of reply when it came from newCopy
	status     int
	path       string
	encoding   string   // Content-Encoding of the request body, if any
	secrets    []string // secrets that the bodies may contain
	action     string   // for the audit log
	target     string
	seq        int64
	id         string
	received   time.Time
	caller     Caller
	operations []string
	trace      Trace
	tool       string // of a tool server, if a tool makes the request
	parent     *Tap   // of the request during which this one is made
	context    tapContext
	running

	mu sync.Mutex // guards what requests made during this one write: caller, operations
}

// NewTap returns a tap between r's body and w.
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

// Insert puts a writer between a tap and the server's writer.
func Insert(t *Tap, between func(http.ResponseWriter) http.ResponseWriter) {
	w := between(t.ResponseWriter)
	t.ResponseWriter, t.w = w, w
}

// tapContext is the context of a request, with the tap and the request's id.
type tapContext struct {
	context.Context
	tap *Tap
}

type tapKey struct{}

// Value implements context.Context.
func (c *tapContext) Value(key any) any {
	switch key {
	case any(tapKey{}):
		return c.tap
	case obs.RequestIDKey:
		return c.tap.id
	}
	return c.Context.Value(key)
}

// Begin numbers the request, unless rec is nil, and returns its context for From.
// A request that is made during another one is recorded with it as Parent, and
// belongs to its trace unless it has its own.
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
		Number(t, rec)
		if made, ok := ctx.Value(madeKey{}).(*Made); ok {
			made.add(t.seq)
		}
	}
	t.context = tapContext{ctx, t}
	return &t.context
}

// Number numbers the request of a tap and counts it as running.
func Number(t *Tap, rec *Recorder) {
	t.seq = rec.next.Add(1)
	t.begin(rec)
}

// Broken configures the injected faults of a request.
type Broken struct {
	// Ask is called once, when the caller and the operation are known. Its error
	// rejects the request. It may be nil.
	Ask func(*http.Request) error
	// Answer writes an error in a form that depends on the operation; nil for that
	// of the service's dialect.
	Answer func(http.ResponseWriter, error)
	Status int    // sent instead of the handler's; 0 for the handler's
	Fault  *Fault // to be recorded; nil for none
}

// Begun calls the tap's Ask. It returns the error that rejects the request.
func Begun(w http.ResponseWriter, r *http.Request) error {
	t, ok := w.(*Tap)
	if !ok || t.Broken.Ask == nil {
		return nil
	}
	ask := t.Broken.Ask
	t.Broken.Ask = nil
	return ask(r)
}

// Tool returns the tool that made the request, "" for none.
func (t *Tap) Tool() string { return t.tool }

// Body returns the beginning of the body as far as it was read, and the number of
// bytes read.
func (t *Tap) Body() (beginning []byte, size int) { return t.body.data, t.body.size }

// Forget drops the recorded reply, so that another one can be written.
func (t *Tap) Forget() { t.reply, t.copied, t.status = nil, nil, 0 }

// running is a running request in the environment of a recorder.
type running struct {
	in atomic.Pointer[Recorder]
	w  http.ResponseWriter
}

func (r *running) begin(rec *Recorder) {
	r.in.Store(rec)
	rec.InFlight.Add(1)
}

// End ends the request's count as running. It may be called more than once.
func (r *running) End() {
	if rec := r.in.Swap(nil); rec != nil {
		rec.InFlight.Add(-1)
	}
}

// FlushError flushes the reply. A flushed reply is a stream, which clients may
// keep open for ever, so its request no longer counts as running.
func (r *running) FlushError() error {
	r.End()
	return http.NewResponseController(r.w).Flush()
}

// From returns the tap of ctx's request, nil for work without a request.
func From(ctx context.Context) *Tap {
	t, _ := ctx.Value(tapKey{}).(*Tap)
	return t
}

// SeqOf returns the number of ctx's request, 0 for none.
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

// WithMade returns a context that collects in made the numbers of the requests
// that are made with it to handlers in this process.
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

// toolCall is a call of a tool.
type toolCall struct {
	name  string
	trace Trace
}

type toolKey struct{}

// WithTool returns the context for a call of a tool; the tool's requests are
// recorded with its name. The call's own traceparent overrides that of its
// request.
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

// TraceOf returns the trace of ctx: of the tool call, or of the request.
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

// Actor returns the kind of caller.
func (t *Tap) Actor() Actor { return t.caller.Actor }

// Caller returns the caller, the zero Caller while it is unknown.
func (t *Tap) Caller() Caller { return t.caller }

// Operations returns the operations of the request. The list must not be changed.
func (t *Tap) Operations() []string { return t.operations }

// Trace returns the trace that the request belongs to.
func (t *Tap) Trace() Trace { return t.trace }

// Hide registers secrets that the bodies of the request and the reply may contain in
// any form and that must not be recorded. Of a request with more than maxSecrets of
// them no body is recorded. It does nothing if w is not a Tap.
func Hide(w http.ResponseWriter, secrets ...string) {
	t, ok := w.(*Tap)
	if !ok {
		return
	}
	for _, s := range secrets {
		if len(t.secrets) <= maxSecrets && !slices.Contains(t.secrets, s) {
			t.secrets = append(t.secrets, s)
		}
	}
}

// SetPath replaces the recorded path, for a path with a secret.
func SetPath(w http.ResponseWriter, path string) {
	if t, ok := w.(*Tap); ok {
		t.path = path
	}
}

// Audit marks the request for the audit log as a change of a credential or an
// environment. It does nothing if w is not a Tap.
func Audit(w http.ResponseWriter, action, target string) {
	if t, ok := w.(*Tap); ok {
		t.action, t.target = action, target
	}
}

// Audited returns the arguments of Audit, "" without a call, and the caller.
func (t *Tap) Audited() (action, target, actor string) {
	return t.action, t.target, t.caller.Principal
}

// Status returns the status that was sent, or 0.
func (t *Tap) Status() int { return t.status }

// WriteHeader sends the status, or that of Broken.
func (t *Tap) WriteHeader(status int) {
	if t.Broken.Status != 0 {
		status = t.Broken.Status
	}
	if t.status == 0 {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the reply and records its beginning.
func (t *Tap) Write(b []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if room := MaxBody - len(t.reply); room > 0 {
		part := b[:min(room, len(b))]
		if t.reply == nil {
			if t.copied = newCopy(len(part)); t.copied != nil {
				t.reply = *t.copied
			}
		}
		t.reply = append(t.reply, part...)
	}
	return t.ResponseWriter.Write(b)
}

// WriteOwned is Write for a slice that will not change afterwards. It records a
// short reply without a copy; of a longer one it copies the beginning, since a
// subslice would keep all of it in memory.
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

// Unwrap returns the server's writer, for http.ResponseController.
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
