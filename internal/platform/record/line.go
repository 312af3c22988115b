package record

import (
	"strings"
	"time"
)

// line is the compact form of a recorded request in memory: lines remain when
// their bodies are dropped.
type line struct {
	seq, at, received, took int64 // microseconds
	id, method, path, query string
	principal, actorID      string
	operations              []string
	body, reply             []byte
	copied                  *[]byte // the memory of reply for reuse; nil once a reader may have it
	more                    *more
	status                  int16
	actor                   Actor
	dropped                 bool // the bodies were dropped
	kept                    bool // it is stored elsewhere
	keeping                 bool // it is being stored elsewhere
}

// more holds fields that few requests have.
type more struct {
	client, tool string
	parent       int64
	trace        Trace
	fault        *Fault
}

func newLine(r *Request) *line {
	l := &line{seq: r.Seq, at: r.At.UnixMicro(), took: r.Duration.Microseconds(),
		id: r.ID, method: r.Method, path: r.Path, query: r.Query, principal: r.Principal, actorID: r.ActorID, operations: r.Operations,
		body: r.Body, reply: r.Reply, status: int16(r.Status), actor: r.Actor, dropped: r.Dropped}
	if !r.ReceivedAt.IsZero() {
		l.received = r.ReceivedAt.UnixMicro()
	}
	if m := (more{r.Client, r.Tool, r.Parent, r.Trace, r.Fault}); m != (more{}) {
		l.more = &m
	}
	return l
}

// request returns the recorded request, which the caller may keep.
func (l *line) request(service string) (r Request) {
	l.copied = nil
	l.outline(&r, service)
	r.Path, r.Query, r.Body, r.Reply = l.path, l.query, l.body, l.reply
	return r
}

// outline sets a zero request to what was recorded, without path, query and
// bodies.
func (l *line) outline(r *Request, service string) {
	r.Seq, r.ID, r.At, r.Service, r.Method = l.seq, l.id, time.UnixMicro(l.at).UTC(), service, l.method
	r.Principal, r.ActorID, r.Actor, r.Operations, r.Status = l.principal, l.actorID, l.actor, l.operations, int(l.status)
	r.Duration, r.Dropped = time.Duration(l.took)*time.Microsecond, l.dropped
	if l.received != 0 {
		r.ReceivedAt = time.UnixMicro(l.received).UTC()
	}
	if m := l.more; m != nil {
		r.Client, r.Tool, r.Parent, r.Trace, r.Fault = m.client, m.tool, m.parent, m.trace, m.fault
	}
}

// bytes returns the size that counts against the bound of bodies: all that drop
// removes.
func (l *line) bytes() int {
	return len(l.body) + len(l.reply) + max(0, len(l.query)-longestText) + max(0, len(l.path)-longestText)
}

// longestText is the length to which drop shortens paths and queries.
const longestText = 200

// drop removes the bodies, and shortens long texts.
func (l *line) drop() {
	if l.copied != nil {
		reuse(l.copied)
		l.copied = nil
	}
	l.body, l.reply, l.dropped = nil, nil, true
	l.path, l.query = shortened(l.path), shortened(l.query)
}

// shortened returns the beginning of a long text, redacted: a truncated secret
// could not be recognized later.
func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	if text = string(redact([]byte(text))); len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText-len("…")], "") + "…"
}

// ring holds the lines of a service, by seq.
type ring struct {
	service string
	lines   []*line
	bytes   int
	bodied  int // no line before this index has bodies
}

// add inserts a line by seq: requests do not end in the order in which they
// began.
func (g *ring) add(l *line) {
	i := len(g.lines)
	g.lines = append(g.lines, l)
	for ; i > 0 && g.lines[i-1].seq > l.seq; i-- {
		g.lines[i] = g.lines[i-1]
	}
	g.lines[i] = l
	g.bytes += l.bytes()
	g.bodied = min(g.bodied, i)
}

// dropLine removes the oldest line and returns its number.
func (g *ring) dropLine() int64 {
	l := g.lines[0]
	g.bytes -= l.bytes()
	g.lines[0] = nil // release it now: the slice is copied only when it grows
	g.lines = g.lines[1:]
	g.bodied = max(0, g.bodied-1)
	return l.seq
}

// dropBodies removes the bodies of the oldest line that has some, and returns its number.
func (g *ring) dropBodies() int64 {
	for ; g.bodied < len(g.lines)-1 && g.lines[g.bodied].bytes() == 0; g.bodied++ {
	}
	l := g.lines[g.bodied]
	g.bytes -= l.bytes()
	l.drop()
	return l.seq
}

// after returns the index of the first line with a number above seq.
func (g *ring) after(seq int64) int {
	low, high := 0, len(g.lines)
	for low < high {
		if mid := (low + high) / 2; g.lines[mid].seq <= seq {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
