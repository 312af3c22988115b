package mcpkit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime is how long requests in flight may take after the input has ended.
const drainTime = 10 * time.Second

// Stdio serves on standard input and output until the input ends and all its
// requests have replies, or until ctx ends.
func (s *Server) Stdio(ctx context.Context) error { return s.serve(ctx, os.Stdin, os.Stdout) }

func (s *Server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	p := &pipe{in: bufio.NewScanner(in), out: out, quiet: make(chan struct{}, 1)}
	p.in.Buffer(nil, maxRequest)
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: p, Writer: p})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pipe filters lines to add what the protocol library lacks: a line that is not
// JSON gets an error reply instead of ending the server, and the end of the input
// is delayed until every request has its reply, so that scripts can pipe in
// requests.
type pipe struct {
	in   *bufio.Scanner
	rest []byte // of the current line

	mu    sync.Mutex
	out   io.Writer
	open  int // requests without a reply
	quiet chan struct{}
}

func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if !p.in.Scan() {
			p.drain()
			switch err := p.in.Err(); {
			case errors.Is(err, bufio.ErrTooLong):
				return 0, fmt.Errorf("a message of the input is longer than %d bytes", maxRequest)
			case err != nil:
				return 0, err
			}
			return 0, io.EOF
		}
		line := bytes.TrimSpace(p.in.Bytes())
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			if err := p.complain(); err != nil {
				return 0, err
			}
		default:
			p.mu.Lock()
			p.open += requests(line)
			p.mu.Unlock()
			p.rest = append(bytes.Clone(line), '\n')
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// complain replies to a line that is not JSON.
func (p *pipe) complain() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: a line must be one JSON message."}}`+"\n")
	return err
}

// drain waits until every request has a reply.
func (p *pipe) drain() {
	late := time.After(drainTime)
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.open > 0 {
		p.mu.Unlock()
		select {
		case <-p.quiet:
		case <-late:
			p.mu.Lock()
			return
		}
		p.mu.Lock()
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

// batch returns the messages of a line: one, or the elements of an array.
func batch(line []byte) (out []json.RawMessage) {
	if line[0] == '[' && json.Unmarshal(line, &out) == nil {
		return out
	}
	return []json.RawMessage{line}
}

// Write sends a line. The server only sends replies, so each message completes
// one request.
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.out.Write(b)
	if p.open = max(0, p.open-len(batch(b))); p.open == 0 {
		select {
		case p.quiet <- struct{}{}:
		default:
		}
	}
	return n, err
}

// Close does nothing: standard input and output belong to the process.
func (p *pipe) Close() error { return nil }
