package mcpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime is how long requests in flight may take once the input has ended.
const drainTime = 10 * time.Second

// Stdio serves on standard input and output until the input ends and what it
// asked is answered, or until ctx ends.
func (s *Server) Stdio(ctx context.Context) error { return s.serve(ctx, os.Stdin, os.Stdout) }

func (s *Server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	p := &pipe{in: in, out: out, quiet: make(chan struct{}, 1)}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: p, Writer: p})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// pipe holds the end of the input back until every request has its answer: the
// protocol library drops what is in flight at the end, and a script that pipes
// its requests in would get none.
type pipe struct {
	in  io.Reader
	out io.Writer

	mu    sync.Mutex
	line  []byte // begun, not ended
	open  int    // requests without an answer
	quiet chan struct{}
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.mu.Lock()
	p.see(b[:n])
	p.mu.Unlock()
	if err != io.EOF {
		return n, err
	}
	if n > 0 {
		return n, nil // the next read meets the end again
	}
	p.drain()
	return 0, io.EOF
}

// drain waits until no request is without an answer.
func (p *pipe) drain() {
	late := time.After(drainTime)
	p.mu.Lock()
	p.see([]byte("\n"))
	for p.open > 0 {
		p.mu.Unlock()
		select {
		case <-p.quiet:
		case <-late:
			return
		}
		p.mu.Lock()
	}
	p.mu.Unlock()
}

// see counts the requests among the lines that have come to their end.
func (p *pipe) see(b []byte) {
	for {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		p.line = append(p.line, part...)
		if !ended {
			return
		}
		p.open += requests(p.line)
		p.line, b = p.line[:0], rest
	}
}

func requests(line []byte) int {
	type message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	n := 0
	for _, raw := range batch(line) {
		var m message
		if json.Unmarshal(raw, &m) == nil && m.Method != "" && m.ID != nil {
			n++
		}
	}
	return n
}

// batch gives the messages of a line: one, or the members of a list.
func batch(line []byte) (out []json.RawMessage) {
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '[' && json.Unmarshal(line, &out) == nil {
		return out
	}
	return []json.RawMessage{line}
}

// Write sends a line. The server sends answers alone, so each message is one request less.
func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open = max(0, p.open-len(batch(b))); p.open == 0 {
		select {
		case p.quiet <- struct{}{}:
		default:
		}
	}
	return n, err
}

// Close leaves standard input and output to the process.
func (p *pipe) Close() error { return nil }
