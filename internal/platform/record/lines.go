package record

import (
	"cmp"
	"slices"
	"strings"
)

// lines holds the recorded requests of an environment, within bounds.
type lines struct {
	bounds Bounds
	rings  []*ring
	count  int
	bytes  int
	gap    int64 // the last request whose bodies were dropped
	lost   int64 // the last request that was dropped
}

// put adds a line to the ring of its service.
func (s *lines) put(service string, l *line) {
	g := s.ring(service)
	if g == nil {
		g = &ring{service: strings.Clone(service)}
		s.rings = append(s.rings, g)
	}
	g.add(l)
	s.count++
	s.bytes += l.bytes()
}

// ring returns the ring of a service, nil for none.
func (s *lines) ring(service string) *ring {
	for _, g := range s.rings {
		if g.service == service {
			return g
		}
	}
	return nil
}

// clear removes all lines and returns the rings that held them.
func (s *lines) clear() []*ring {
	old := s.rings
	s.rings, s.count, s.bytes = nil, 0, 0
	return old
}

// erase drops the requests for which named returns true. It reports whether one
// of them is stored elsewhere.
func (s *lines) erase(named func(*Request) bool) (kept bool) {
	for _, g := range s.clear() { // into new rings, so that no dropped data remains in their arrays
		for _, l := range g.lines {
			if r := l.request(g.service); named(&r) {
				kept = kept || l.kept
				continue
			}
			s.put(g.service, l)
		}
	}
	return kept
}

// trim drops the oldest bodies and lines beyond the bounds, always those of the
// service with the most.
func (s *lines) trim() {
	for s.bytes > s.bounds.Bytes {
		g := slices.MaxFunc(s.rings, func(a, b *ring) int { return cmp.Compare(a.bytes, b.bytes) })
		before := g.bytes
		s.gap = max(s.gap, g.dropBodies())
		s.bytes -= before - g.bytes
	}
	for s.count > s.bounds.Lines {
		g := slices.MaxFunc(s.rings, func(a, b *ring) int { return cmp.Compare(len(a.lines), len(b.lines)) })
		before := g.bytes
		s.lost = max(s.lost, g.dropLine())
		s.gap = max(s.gap, s.lost)
		s.bytes -= before - g.bytes
		s.count--
	}
}

// find returns the line with a number and its service, nil for none.
func (s *lines) find(seq int64) (*line, string) {
	for _, g := range s.rings {
		if i := g.after(seq - 1); i < len(g.lines) && g.lines[i].seq == seq {
			return g.lines[i], g.service
		}
	}
	return nil, ""
}
