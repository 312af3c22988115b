package mcpkit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime is how long requests in flight may take after the input has ended.
const drainTime = 10 * time.Second

// noBatches is the first version of the protocol without batches.
const noBatches = "2025-06-18"

// Stdio serves on standard input and output until the input ends and all its
// requests have replies, or until ctx ends.
func (s *Server) Stdio(ctx context.Context) error { return s.serve(ctx, os.Stdin, os.Stdout) }

func (s *Server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	p := &pipe{in: bufio.NewReader(in), out: out, open: map[string]string{}, cancelled: map[string]bool{}, quiet: make(chan struct{}, 1)}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: p, Writer: p})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pipe filters lines to add what the protocol library lacks: a line that is no
// message gets an error reply instead of ending the server, a cancelled request gets
// no reply, and the end of the input is delayed until every request has its reply, so
// that scripts can pipe in requests.
type pipe struct {
	in   *bufio.Reader
	rest []byte // of the current line

	mu        sync.Mutex
	out       io.Writer
	open      map[string]string // the methods of requests without a reply, by idKey
	cancelled map[string]bool   // of them
	version   string            // of the protocol, once it is agreed
	quiet     chan struct{}
}

func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		line, long, err := p.line()
		pass, wrong := p.admit(line, long)
		if wrong != nil {
			if err := p.complain(wrong); err != nil {
				return 0, err
			}
		}
		if pass {
			p.rest = append(line, '\n')
		}
		if err != nil && len(p.rest) == 0 {
			p.drain()
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// line returns the next line without blanks around it. It skips the rest of one that
// is longer than a request may be, and then sets long.
func (p *pipe) line() (line []byte, long bool, err error) {
	for {
		part, err := p.in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxRequest {
			line, long = line[:0], true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if long {
				line = nil
			}
			return bytes.TrimSpace(line), long, err
		}
	}
}

// admit reports whether the library may see a line, whose requests it remembers. It
// returns an error if the client must be told what is wrong.
func (p *pipe) admit(line []byte, long bool) (pass bool, wrong *malformed) {
	switch {
	case long:
		return false, invalidMessage(noID, "a message must not be longer than "+strconv.Itoa(maxRequest)+" bytes")
	case len(line) == 0:
		return false, nil
	}
	c, wrong := readCalls(line)
	if wrong != nil || c.list[0].isStray() {
		return false, wrong
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.batch && p.version >= noBatches {
		return false, invalidMessage(noID, "there are no batches in version "+p.version+" of the protocol")
	}
	added := map[string]string{}
	for _, m := range c.list {
		key := idKey(m.ID)
		_, open := p.open[key]
		_, again := added[key]
		switch {
		case key == "" && m.Method == "notifications/cancelled" && !c.batch:
			of := idKey(membersOf(m.params)["requestId"])
			if begun, open := p.open[of]; open && begun != "initialize" {
				p.cancelled[of] = true
			}
		case key == "" || m.isReply: // no request
		case open || again:
			return false, invalidMessage(noID, "the request with the id "+string(m.ID)+" has no reply yet")
		default:
			added[key] = m.Method
		}
	}
	for key, method := range added {
		p.open[key] = method
	}
	return true, nil
}

// complain replies to a line that is no message.
func (p *pipe) complain(wrong *malformed) error {
	b, err := json.Marshal(wrong.reply())
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.out.Write(append(b, '\n'))
	return err
}

// drain waits until every request has a reply.
func (p *pipe) drain() {
	late := time.After(drainTime)
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.open) > 0 {
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

// batch returns the messages of a line: one, or the elements of an array.
func batch(line []byte) (out []json.RawMessage) {
	if line[0] == '[' && json.Unmarshal(line, &out) == nil {
		return out
	}
	return []json.RawMessage{line}
}

// sent is what Write reads of the library's messages.
type sent struct {
	ID     json.RawMessage
	Result *struct{ ProtocolVersion string }
	Error  *struct {
		Code    int64
		Message string
	}
}

// Write sends a line. The server only sends replies, so each message completes
// one request.
func (p *pipe) Write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, send := len(b), b
	for _, raw := range batch(b) {
		var r sent
		_ = json.Unmarshal(raw, &r) // a result of another form has no version
		key := idKey(r.ID)
		if p.open[key] == "initialize" && r.Result != nil && r.Result.ProtocolVersion != "" {
			p.version = r.Result.ProtocolVersion
		}
		if r.Error != nil && r.Error.Code == 0 && b[0] != '[' { // of a request at a time when it may not be sent
			send, err = json.Marshal((&malformed{jsonrpc.CodeInvalidRequest, r.ID, r.Error.Message}).reply())
			send = append(send, '\n')
		}
		if p.cancelled[key] {
			send = nil
		}
		delete(p.cancelled, key)
		delete(p.open, key)
	}
	if err == nil && len(send) > 0 {
		_, err = p.out.Write(send)
	}
	if len(p.open) == 0 {
		select {
		case p.quiet <- struct{}{}:
		default:
		}
	}
	return n, err
}

// Close does nothing: standard input and output belong to the process.
func (p *pipe) Close() error { return nil }
