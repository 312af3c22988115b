// Package record stores the last requests of an environment with their replies,
// for people who want to see what a program did. It is bounded in lines and in
// bytes of bodies, and no service pushes out what another one was asked. Secrets
// are removed before a request leaves the recorder, for the store or for a reader:
// most requests leave it for neither. Headers with credentials are never recorded.
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

// MaxBody is how much of a body is kept.
const MaxBody = 64 << 10

// Bounds is how much one environment keeps. The oldest bodies go first, of the
// service that has most of them; their lines stay until there are too many.
type Bounds struct {
	Lines int
	Bytes int // of bodies
}

// The bounds that there are.
var (
	Recent = Bounds{10_000, 4 << 20}
	Full   = Bounds{50_000, 64 << 20}
)

// Request is one recorded request.
type Request struct {
	Seq        int64 // in the order of arrival
	ID         string
	At         time.Time // on the environment's clock, when it was answered
	ReceivedAt time.Time // real time
	Service    string
	Method     string
	Path       string // relative to the service's base URL
	Query      string
	Operations []string // what was asked, by upstream's names
	Principal  string   // who called, as far as the service found out
	Actor      Actor
	ActorID    string
	Client     string // the program that called, such as "web" for the web UI; "" when it did not say
	Tool       string // of a tool server that made the request; "" for none
	Parent     int64  // the request in whose course this one was made; 0 for none
	Trace      Trace
	Status     int
	Duration   time.Duration
	Body       []byte // of the request, at most MaxBody
	Reply      []byte // at most MaxBody
	Dropped    bool   // the bodies were there and are not kept any more
	Fault      *Fault // what was done to it on purpose; nil for nothing
}

// Fault is what a fault rule did to a request.
type Fault struct {
	ID        string // of the rule
	Do        string // such as "drop after"
	Committed bool   // the request was carried out
}

// Recorder keeps the last requests of one environment.
type Recorder struct {
	clock *clock.Clock
	next  atomic.Int64 // the number of the last request that began

	// InFlight is how many requests have begun and not ended, without those that
	// are answered by a stream.
	InFlight atomic.Int64

	mu       sync.Mutex
	lines    lines
	erasures []erasure
	older    func() []Request
}

// New returns an empty recorder.
func New(c *clock.Clock) *Recorder { return &Recorder{clock: c, lines: lines{bounds: Recent}} }

// SetBounds changes how much is kept.
func (rec *Recorder) SetBounds(b Bounds) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.lines.bounds = b
	rec.lines.trim()
}

// Bounds returns how much is kept.
func (rec *Recorder) Bounds() Bounds {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.lines.bounds
}

// Add keeps what went through the tap.
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
	r.Reply = without(r.Reply, t.secrets)
	l := newLine(&r)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.isErased(&r) {
		return
	}
	rec.lines.put(r.Service, l)
	rec.lines.trim()
}

// Last returns the number of the last request that began.
func (rec *Recorder) Last() int64 { return rec.next.Load() }

// Lost returns the number of the last request that is not kept at all, and of the
// last that is not kept with its bodies, of those that have ended and were not
// erased; 0 for none. Requests that are kept elsewhere count once they were read.
func (rec *Recorder) Lost() (line, bodies int64) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.lines.lost, rec.lines.gap
}

// Resume continues an empty recorder after request number last. Requests up to
// number lost are not all kept. older returns the requests up to last that are kept
// elsewhere; it is called when someone asks for them.
func (rec *Recorder) Resume(last, lost int64, older func() []Request) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.next.Store(max(last, rec.next.Load()))
	rec.lines.lost, rec.lines.gap = max(lost, rec.lines.lost), max(lost, rec.lines.gap)
	rec.older = older
}

// Unkept returns the requests that are not kept elsewhere, oldest first and redacted.
func (rec *Recorder) Unkept() []Request { return rec.collect(func(l *line) bool { return !l.kept }) }

// All returns what is recorded, oldest first and redacted.
func (rec *Recorder) All() []Request {
	rec.ReadOlder()
	return rec.collect(func(*line) bool { return true })
}

// collect returns the requests for whose lines pass holds, which are to be kept
// elsewhere: Replaced notes that they are.
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

// Replaced notes that what Unkept, All or Erase returned last is kept elsewhere.
func (rec *Recorder) Replaced() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, g := range rec.lines.rings {
		for _, l := range g.lines {
			l.kept, l.keeping = l.kept || l.keeping, false
		}
	}
}

// Size returns the bytes that requests count as where they are stored.
func Size(list []Request) (n int) {
	for i := range list {
		r := &list[i]
		n += len(r.Body) + len(r.Reply) + len(r.Query) + len(r.Path) + 200
	}
	return n
}

// ReadOlder adds what is kept elsewhere to what is new, once. Who lists requests
// inside a read of the environment calls it before: one in memory has one connection.
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
