// Package record stores the last requests of an environment with their replies,
// for people who want to see what a program did. It is bounded in count and
// bytes. Secrets are removed before a request leaves the recorder, for the store
// or for a reader: most requests leave it for neither. Headers with credentials
// are never recorded.
package record

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// MaxBody is how much of a body is kept.
	MaxBody = 64 << 10
	// MaxRequests and MaxBytes bound what one environment keeps.
	MaxRequests = 1000
	MaxBytes    = 4 << 20
)

// Request is one recorded request.
type Request struct {
	Seq       int64
	ID        string
	At        time.Time // on the environment's clock
	Service   string
	Method    string
	Path      string // relative to the service's base URL
	Query     string
	Principal string // who called, as far as the service found out
	Client    string // the program that called, such as "web" for the web UI; "" when it did not say
	Status    int
	Duration  time.Duration
	Body      []byte // of the request, at most MaxBody
	Reply     []byte // at most MaxBody
}

// Recorder keeps the last requests of one environment.
type Recorder struct {
	clock *clock.Clock
	mu    sync.Mutex
	next  int64
	ring  []Request // oldest first
	bytes int

	erasures []erasure

	kept  int64 // requests up to this number were kept elsewhere
	older func() []Request
}

// New returns an empty recorder.
func New(c *clock.Clock) *Recorder { return &Recorder{clock: c} }

// Add keeps what went through the tap.
func (rec *Recorder) Add(t *Tap, r Request) {
	r.At, r.Status, r.Principal = rec.clock.Now(), t.Status(), t.principal
	r.Query, r.Body, r.Reply = t.query, t.body.data, t.reply
	if t.path != "" {
		r.Path = t.path
	}
	if t.encoding != "" {
		r.Body = fmt.Appendf(nil, "[%d bytes of %s]", t.body.size, t.encoding)
	}
	r.Reply = without(r.Reply, t.secrets)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.isErased(&r) {
		return
	}
	rec.next++
	r.Seq = rec.next
	rec.ring = append(rec.ring, r)
	rec.bytes += r.size()
	rec.trim()
}

// trim drops the oldest. The recorder is locked.
func (rec *Recorder) trim() {
	drop := 0
	for len(rec.ring)-drop > MaxRequests || rec.bytes > MaxBytes && len(rec.ring)-drop > 1 {
		rec.bytes -= rec.ring[drop].size()
		rec.ring[drop] = Request{}
		drop++
	}
	rec.ring = rec.ring[drop:]
}

// Resume continues an empty recorder after request number last. older returns
// the requests up to that number; it is called when someone asks for them.
func (rec *Recorder) Resume(last int64, older func() []Request) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.next, rec.kept, rec.older = last, last, older
}

// Unkept returns the requests that were recorded since Resume, oldest first and redacted.
func (rec *Recorder) Unkept() []Request {
	rec.mu.Lock()
	first := slices.IndexFunc(rec.ring, func(r Request) bool { return r.Seq > rec.kept })
	var list []Request
	if first >= 0 {
		list = slices.Clone(rec.ring[first:])
	}
	rec.mu.Unlock()
	redactAll(list)
	return list
}

func redactAll(list []Request) {
	for i := range list {
		list[i].redact()
	}
}

// Size returns the bytes that requests count as.
func Size(list []Request) (n int) {
	for i := range list {
		n += list[i].size()
	}
	return n
}

// readOlder puts what was kept before what is new, once.
func (rec *Recorder) readOlder() {
	rec.mu.Lock()
	older := rec.older
	rec.older = nil
	rec.mu.Unlock()
	if older == nil {
		return
	}
	list := older()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.ring = append(list, rec.ring...)
	rec.bytes += Size(list)
	rec.trim()
}

func (r *Request) size() int { return len(r.Body) + len(r.Reply) + len(r.Query) + len(r.Path) + 200 }

// Filter narrows a listing; zero fields do not.
type Filter struct {
	Service string
	Client  string
	Status  int
	Since   time.Time
	Before  int64 // only requests with a smaller Seq
	Limit   int
}

// List returns requests newest first, redacted.
func (rec *Recorder) List(f Filter) []Request {
	rec.readOlder()
	rec.mu.Lock()
	var out []Request
	for i := len(rec.ring) - 1; i >= 0 && len(out) < f.Limit; i-- {
		r := rec.ring[i]
		if f.Before > 0 && r.Seq >= f.Before || f.Service != "" && r.Service != f.Service || f.Client != "" && r.Client != f.Client ||
			f.Status != 0 && r.Status != f.Status || r.At.Before(f.Since) {
			continue
		}
		out = append(out, r)
	}
	rec.mu.Unlock()
	redactAll(out)
	for i := range out {
		out[i].Query = strings.ToValidUTF8(out[i].Query, "?")
		out[i].Body, out[i].Reply = bytes.ToValidUTF8(out[i].Body, []byte("?")), bytes.ToValidUTF8(out[i].Reply, []byte("?"))
	}
	return out
}

// Tap is the ResponseWriter that sees what a request and its reply carry.
type Tap struct {
	http.ResponseWriter
	body      *bodyTap
	query     string
	reply     []byte
	status    int
	principal string
	path      string
	encoding  string   // of a request body that is no text as it comes
	secrets   []string // that the reply may repeat
	action    string   // for the audit log
	target    string
}

// NewTap puts itself between r's body and w.
func NewTap(w http.ResponseWriter, r *http.Request) *Tap {
	t := &Tap{ResponseWriter: w, query: r.URL.RawQuery, body: &bodyTap{}}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		t.encoding = enc[:min(len(enc), 20)]
	}
	if r.Body != nil && r.Body != http.NoBody {
		t.body.ReadCloser = r.Body
		r.Body = t.body
	}
	return t
}

// SetPrincipal adds to the recording who called. It does nothing for a writer
// that is no Tap.
func SetPrincipal(w http.ResponseWriter, principal string) {
	if t, ok := w.(*Tap); ok {
		t.principal = principal
	}
}

// Principal returns who called, "" while that is not known.
func (t *Tap) Principal() string { return t.principal }

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
func (t *Tap) Audited() (action, target, actor string) { return t.action, t.target, t.principal }

// Status is the status that was sent, or 0.
func (t *Tap) Status() int { return t.status }

// WriteHeader sends the status.
func (t *Tap) WriteHeader(status int) {
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
