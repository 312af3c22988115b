// Package record stores the last requests of an environment with their replies,
// so that people can see what a program did. It bounds the number of lines and
// the bytes of bodies; no service displaces the requests of another. Secrets are
// removed when a request leaves the recorder, for the store or a reader, since
// most never do. Headers with credentials are never recorded.
package record

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
)

// MaxBody is the most bytes of a body that are kept.
const MaxBody = 64 << 10

// Bounds bounds the requests of one environment. The oldest bodies of the service
// with the most bodies are dropped first; their lines remain until there are too
// many.
type Bounds struct {
	Lines int
	Bytes int // of bodies
}

// The predefined bounds.
var (
	Recent = Bounds{10_000, 4 << 20}
	Full   = Bounds{50_000, 64 << 20}
)

// Request is one recorded request.
type Request struct {
	Seq        int64 // number in the order of arrival
	ID         string
	At         time.Time // on the environment's clock, at the end of the request
	ReceivedAt time.Time // real time
	Service    string
	Method     string
	Path       string // relative to the service's base URL
	Query      string
	Operations []string // by upstream's names
	Principal  string   // the caller, as far as the service knows it
	Actor      Actor
	ActorID    string
	Client     string // the client's name, such as "web" for the web UI; "" if unknown
	Tool       string // the tool that made the request; "" for none
	Parent     int64  // the request during which this one was made; 0 for none
	Trace      Trace
	Status     int
	Duration   time.Duration
	Body       []byte // of the request, at most MaxBody
	Reply      []byte // at most MaxBody
	Dropped    bool   // the bodies were dropped
	Fault      *Fault // the injected fault; nil for none
}

// Fault is the effect of a fault rule on a request.
type Fault struct {
	ID        string // of the rule
	Do        string // such as "drop after"
	Committed bool   // the request was executed
}

// Recorder stores the last requests of one environment.
type Recorder struct {
	clock *clock.Clock
	next  atomic.Int64 // the number of the last request

	// InFlight is the number of running requests, except those with streamed
	// replies.
	InFlight atomic.Int64

	mu       sync.Mutex
	lines    lines
	erasures []erasure
	older    func() []Request
}

// New returns an empty recorder.
func New(c *clock.Clock) *Recorder { return &Recorder{clock: c, lines: lines{bounds: Recent}} }

// SetBounds changes the bounds.
func (rec *Recorder) SetBounds(b Bounds) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.lines.bounds = b
	rec.lines.trim()
}

// Bounds returns the bounds.
func (rec *Recorder) Bounds() Bounds {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.lines.bounds
}

// Add records the request and reply of a tap.
func (rec *Recorder) Add(t *Tap, r Request) {
	if r.Seq = t.seq; r.Seq == 0 {
		r.Seq = rec.next.Add(1)
	}
	r.At, r.ReceivedAt, r.Status = rec.clock.Now(), t.received, t.Status()
	r.Operations, r.Principal, r.Actor, r.ActorID = t.operations, t.caller.Principal, t.caller.Actor, t.caller.ID
	r.Tool, r.Trace, r.Fault = t.tool, t.trace, t.Broken.Fault
	if t.parent != nil {
		r.Parent = t.parent.seq
	}
	r.Query, r.Body, r.Reply = t.query, t.body.data, t.reply
	if t.path != "" {
		r.Path = t.path
	}
	if t.encoding != "" {
		r.Body = fmt.Appendf(nil, "[%d bytes of %s]", t.body.size, t.encoding)
	}
	if len(t.secrets) > maxSecrets {
		r.Body, r.Reply = redactedText, redactedText
	}
	r.Body, r.Reply = without(r.Body, t.secrets), without(r.Reply, t.secrets)
	l := newLine(&r)
	if t.copied != nil && len(t.secrets) == 0 {
		*t.copied, l.copied = t.reply, t.copied
	}
	t.reply, t.copied = nil, nil // a late write must not reach the memory of another request
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.erasures) > 0 {
		if again := r; rec.isErased(&again) { // r itself is then not allocated for each request
			return
		}
	}
	rec.lines.put(r.Service, l)
	rec.lines.trim()
}

// Last returns the number of the last request.
func (rec *Recorder) Last() int64 { return rec.next.Load() }

// Lost returns the number of the last request that was dropped, and of the last
// whose bodies were dropped, among those that have ended and were not erased; 0
// for none. Requests that are stored elsewhere count once they have been read.
func (rec *Recorder) Lost() (line, bodies int64) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.lines.lost, rec.lines.gap
}

// Resume continues after request number last, on an empty recorder. Requests up
// to number lost may be missing. older returns the requests up to last that are
// stored elsewhere; it is called on demand.
func (rec *Recorder) Resume(last, lost int64, older func() []Request) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.next.Store(max(last, rec.next.Load()))
	rec.lines.lost, rec.lines.gap = max(lost, rec.lines.lost), max(lost, rec.lines.gap)
	rec.older = older
}

// Unkept returns the requests that are not stored elsewhere, oldest first and
// redacted.
func (rec *Recorder) Unkept() []Request { return rec.collect(func(l *line) bool { return !l.kept }) }

// All returns all requests, oldest first and redacted.
func (rec *Recorder) All() []Request {
	rec.ReadOlder()
	return rec.collect(func(*line) bool { return true })
}

// collect returns the requests for whose lines pass returns true, for storing
// elsewhere; Replaced confirms that.
func (rec *Recorder) collect(pass func(*line) bool) (out []Request) {
	rec.mu.Lock()
	for _, g := range rec.lines.rings {
		for _, l := range g.lines {
			if l.keeping = pass(l); l.keeping {
				out = append(out, l.request(g.service))
			}
		}
	}
	rec.mu.Unlock()
	slices.SortFunc(out, func(a, b Request) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := range out {
		out[i].redact()
	}
	return out
}

// Replaced confirms that the last result of Unkept, All or Erase is stored
// elsewhere.
func (rec *Recorder) Replaced() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, g := range rec.lines.rings {
		for _, l := range g.lines {
			l.kept, l.keeping = l.kept || l.keeping, false
		}
	}
}

// Size returns the size of requests in the store, in bytes.
func Size(list []Request) (n int) {
	for i := range list {
		r := &list[i]
		n += len(r.Body) + len(r.Reply) + len(r.Query) + len(r.Path) + 200
	}
	return n
}

// ReadOlder reads the requests that are stored elsewhere, once. Call it before
// listing requests inside a read of the environment: an environment in memory has
// only one connection.
func (rec *Recorder) ReadOlder() {
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
	slices.SortFunc(list, func(a, b Request) int { return cmp.Compare(b.Seq, a.Seq) })
	fresh := rec.lines.clear()
	for i := range slices.Backward(list) {
		l := newLine(&list[i])
		l.kept = true
		if l.dropped {
			rec.lines.gap = max(rec.lines.gap, l.seq)
		}
		rec.lines.put(list[i].Service, l)
	}
	for _, g := range fresh {
		for _, l := range g.lines {
			rec.lines.put(g.service, l)
		}
	}
	rec.lines.trim()
}
