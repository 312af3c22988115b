package record

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// Filter selects requests in a list; zero fields select all.
type Filter struct {
	Service   string
	Client    string
	NotClient string // requests of all clients but this one
	Status    int    // below 6: all of that class, such as 4 for 4xx
	Method    string
	Path      string // a prefix
	Principal string // a substring of the principal, or of the actor's id
	Text      string // a substring of the path, the query or a body
	Since     time.Time
	Operation string // a name, in which * matches any text
	Actor     *Actor
	TraceID   string
	Before    int64 // only requests with a smaller Seq
	After     int64 // only requests with a larger Seq
	Ascending bool  // oldest first
	Bare      bool  // without bodies
	Outline   bool  // without bodies, path and query
	Limit     int
}

// nothing is used for lines without more.
var nothing more

func (f *Filter) passes(l *line) bool {
	m := l.more
	if m == nil {
		m = &nothing
	}
	return (f.Client == "" || m.client == f.Client) && (f.NotClient == "" || m.client != f.NotClient) &&
		(f.Status == 0 || int(l.status) == f.Status || int(l.status)/100 == f.Status) && (f.Method == "" || l.method == f.Method) &&
		(f.Principal == "" || strings.Contains(l.principal, f.Principal) || strings.Contains(l.actorID, f.Principal)) &&
		(f.Since.IsZero() || l.at >= f.Since.UnixMicro()) && (f.Actor == nil || l.actor == *f.Actor) &&
		(f.TraceID == "" || !m.trace.IsZero() && m.trace.TraceID() == strings.ToLower(f.TraceID)) &&
		(f.Operation == "" || slices.ContainsFunc(l.operations, func(name string) bool { return Matches(f.Operation, name) })) &&
		f.holds(l)
}

// holds reports whether a line contains the texts of the filter, outside of
// secrets.
func (f *Filter) holds(l *line) bool {
	if f.Path == "" && f.Text == "" {
		return true
	}
	has := func(path, query string, body, reply []byte) bool {
		text := []byte(f.Text)
		return strings.HasPrefix(path, f.Path) && (f.Text == "" || strings.Contains(path, f.Text) || strings.Contains(query, f.Text) ||
			bytes.Contains(body, text) || bytes.Contains(reply, text))
	}
	if !has(l.path, l.query, l.body, l.reply) {
		return false
	}
	r := l.request("")
	r.clean()
	return has(r.Path, r.Query, r.Body, r.Reply)
}

// Matches reports whether a name matches a pattern, in which * matches any text.
func Matches(pattern, name string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}

// cursor iterates over the lines of one ring, in either direction.
type cursor struct {
	ring *ring
	at   int
	end  int // the index after the last
	step int
}

func (c *cursor) done() bool { return c.at == c.end }

// mostRoom bounds the initial capacity of a list.
const mostRoom = 8192

// List returns requests newest first, or oldest first, redacted.
func (rec *Recorder) List(f Filter) []Request {
	rec.ReadOlder()
	rec.mu.Lock()
	var walk []cursor
	for _, g := range rec.lines.rings {
		if f.Service != "" && g.service != f.Service {
			continue
		}
		low, high := g.after(f.After), len(g.lines)
		if f.Before > 0 {
			high = g.after(f.Before - 1)
		}
		switch {
		case low >= high:
		case f.Ascending:
			walk = append(walk, cursor{g, low, high, 1})
		default:
			walk = append(walk, cursor{g, high - 1, low - 1, -1})
		}
	}
	room := 0
	for i := range walk {
		room += max(walk[i].end-walk[i].at, walk[i].at-walk[i].end)
	}
	out := make([]Request, 0, max(0, min(room, f.Limit, mostRoom)))
	for len(walk) > 0 && len(out) < f.Limit {
		first := 0
		for i := range walk {
			if a, b := walk[i].ring.lines[walk[i].at].seq, walk[first].ring.lines[walk[first].at].seq; (a < b) == f.Ascending && a != b {
				first = i
			}
		}
		c := &walk[first]
		if l := c.ring.lines[c.at]; f.passes(l) {
			if f.Outline {
				out = append(out, Request{})
				l.outline(&out[len(out)-1], c.ring.service)
			} else {
				out = append(out, l.request(c.ring.service))
			}
		}
		if c.at += c.step; c.done() {
			walk = slices.Delete(walk, first, first+1)
		}
	}
	rec.mu.Unlock()
	if f.Outline { // an outline has neither
		return out
	}
	for i := range out {
		if f.Bare {
			out[i].Body, out[i].Reply = nil, nil
		}
		out[i].clean()
	}
	return out
}

// Get returns the request with a number, redacted, and whether its line still
// exists.
func (rec *Recorder) Get(seq int64) (Request, bool) {
	rec.ReadOlder()
	rec.mu.Lock()
	l, service := rec.lines.find(seq)
	if l == nil {
		rec.mu.Unlock()
		return Request{}, false
	}
	r := l.request(service)
	rec.mu.Unlock()
	r.clean()
	return r, true
}

// Outline returns the request with a number without bodies, path and query, and
// whether its line still exists.
func Outline(rec *Recorder, seq int64) (r Request, known bool) {
	rec.ReadOlder()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	l, service := rec.lines.find(seq)
	if l != nil {
		l.outline(&r, service)
	}
	return r, l != nil
}

// clean redacts a request that an earlier version may have stored with secrets.
func (r *Request) clean() {
	r.redact()
	r.Query = strings.ToValidUTF8(r.Query, "?")
	r.Body, r.Reply = bytes.ToValidUTF8(r.Body, []byte("?")), bytes.ToValidUTF8(r.Reply, []byte("?"))
}
