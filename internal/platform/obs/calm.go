package obs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// calmTime is the time in which calmLines lines with the same message are written.
	calmTime  = 5 * time.Second
	calmLines = 10
	// calmMessages bounds the messages that are counted.
	calmMessages = 1000
)

// calm is a slog.Handler that writes at most calmLines warnings and errors of
// one message in calmTime and then says how many it left out: thousands of
// refused requests must not fill the disk nor hide the other lines. It writes
// all lines below slog.LevelWarn.
type calm struct {
	slog.Handler
	seen *calmSeen // shared by the handlers that WithAttrs and WithGroup return
}

type calmSeen struct {
	mu     sync.Mutex
	counts map[string]*calmCount
	top    slog.Handler // writes how many were left out, without attributes
}

type calmCount struct {
	began time.Time
	lines int
}

func newCalm(h slog.Handler) *calm {
	return &calm{h, &calmSeen{counts: map[string]*calmCount{}, top: h}}
}

// Handle writes a line, unless there were too many with its message.
func (c *calm) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && !c.seen.allow(r.Message) {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler that adds attributes and counts with this one.
func (c *calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &calm{c.Handler.WithAttrs(attrs), c.seen}
}

// WithGroup returns a handler that adds a group and counts with this one.
func (c *calm) WithGroup(name string) slog.Handler {
	return &calm{c.Handler.WithGroup(name), c.seen}
}

// allow counts a line and reports whether it is to be written.
func (s *calmSeen) allow(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts[message]
	if c == nil {
		if len(s.counts) >= calmMessages {
			return true
		}
		c = &calmCount{began: clock.Real()}
		s.counts[message] = c
		time.AfterFunc(calmTime, func() { s.end(message) })
	}
	c.lines++
	return c.lines <= calmLines
}

// end writes how many lines of a message were left out, and counts anew.
func (s *calmSeen) end(message string) {
	s.mu.Lock()
	c := s.counts[message]
	delete(s.counts, message)
	s.mu.Unlock()
	if left := c.lines - calmLines; left > 0 {
		r := slog.NewRecord(clock.Real(), slog.LevelWarn, "lines of one message were left out", 0)
		r.Add("message", message, "lines", left, "since", c.began)
		_ = s.top.Handle(context.Background(), r) // as with every line, nothing can be done
	}
}
