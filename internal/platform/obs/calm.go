package obs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// calmTime is the interval in which at most calmLines lines with the same
	// message are written.
	calmTime  = 5 * time.Second
	calmLines = 10
	// calmMessages is the most messages that are counted.
	calmMessages = 1000
)

// calm is a slog.Handler that writes at most calmLines warnings and errors with
// the same message in calmTime, and then the number of those left out, so that
// thousands of refused requests neither fill the disk nor hide other lines. It
// writes all lines below slog.LevelWarn.
type calm struct {
	slog.Handler
	seen *calmSeen // shared by the handlers of WithAttrs and WithGroup
}

type calmSeen struct {
	mu     sync.Mutex
	counts map[string]*calmCount
	top    slog.Handler // writes the numbers of lines left out, without attributes
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

// WithAttrs returns a handler that adds attributes and shares the counts.
func (c *calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &calm{c.Handler.WithAttrs(attrs), c.seen}
}

// WithGroup returns a handler that adds a group and shares the counts.
func (c *calm) WithGroup(name string) slog.Handler {
	return &calm{c.Handler.WithGroup(name), c.seen}
}

// allow counts a line and reports whether to write it.
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

// end writes how many lines of a message were left out, and resets the count.
func (s *calmSeen) end(message string) {
	s.mu.Lock()
	c := s.counts[message]
	delete(s.counts, message)
	s.mu.Unlock()
	if left := c.lines - calmLines; left > 0 {
		r := slog.NewRecord(clock.Real(), slog.LevelWarn, "lines of one message were left out", 0)
		r.Add("message", message, "lines", left, "since", c.began)
		_ = s.top.Handle(context.Background(), r) // an error of the log itself cannot be logged
	}
}
