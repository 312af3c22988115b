// Package wire is the cheapest HTTP/1.1 client that a load generator can be:
// requests are bytes made beforehand, replies are read with the least work, so
// that the generator costs less than what it measures.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Conn is one keep-alive connection, used by one goroutine.
type Conn struct {
	Body []byte // of the last reply; valid until the next

	net net.Conn
	r   *bufio.Reader
}

// Dial connects to HOST:PORT.
func Dial(addr string) (*Conn, error) {
	c, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &Conn{net: c, r: bufio.NewReaderSize(c, 256<<10)}, nil
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.net.Close() }

// Do sends one request and returns the status of its reply; the body is in Body.
func (c *Conn) Do(request []byte) (int, error) {
	if _, err := c.net.Write(request); err != nil {
		return 0, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 13 {
		return 0, fmt.Errorf("status line %q", line)
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, err
	}
	length, chunked := -1, false
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if v, ok := headerValue(line, "content-length"); ok {
			if length, err = strconv.Atoi(v); err != nil {
				return 0, err
			}
		} else if v, ok := headerValue(line, "transfer-encoding"); ok {
			chunked = strings.EqualFold(v, "chunked")
		}
	}
	switch {
	case chunked:
		return status, c.readChunks()
	case length < 0:
		return 0, errors.New("a reply without a length")
	}
	c.Body = slices.Grow(c.Body[:0], length)[:length]
	_, err = io.ReadFull(c.r, c.Body)
	return status, err
}

func (c *Conn) readChunks() error {
	c.Body = c.Body[:0]
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return err
		}
		at := len(c.Body)
		c.Body = slices.Grow(c.Body, int(n)+2)[:at+int(n)+2]
		if _, err := io.ReadFull(c.r, c.Body[at:]); err != nil {
			return err
		}
		c.Body = c.Body[:at+int(n)] // without the line end
		if n == 0 {
			return nil
		}
	}
}

// headerValue returns the value of a header line whose name is name (lower-
// case).
func headerValue(line []byte, name string) (string, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return "", false
	}
	return string(bytes.TrimSpace(line[len(name)+1:])), true
}
