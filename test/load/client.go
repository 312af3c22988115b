package main

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
	"sync"
	"sync/atomic"
	"time"
)

// conn is one keep-alive connection that sends bytes made beforehand and
// reads replies with the least work that HTTP/1.1 allows, so that the
// generator costs less than what it measures.
type conn struct {
	net  net.Conn
	r    *bufio.Reader
	body []byte // of the last reply; valid until the next
}

func dial(addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &conn{net: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *conn) close() { _ = c.net.Close() }

// do sends one request and gives the status of its reply; the body is in c.body.
func (c *conn) do(request []byte) (int, error) {
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
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.r, c.body)
	return status, err
}

func (c *conn) readChunks() error {
	c.body = c.body[:0]
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return err
		}
		at := len(c.body)
		c.body = slices.Grow(c.body, int(n)+2)[:at+int(n)+2]
		if _, err := io.ReadFull(c.r, c.body[at:]); err != nil {
			return err
		}
		c.body = c.body[:at+int(n)] // without the line end
		if n == 0 {
			return nil
		}
	}
}

// headerValue gives the value of the header line when its name is name (lower-case).
func headerValue(line []byte, name string) (string, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return "", false
	}
	return string(bytes.TrimSpace(line[len(name)+1:])), true
}

// request makes the bytes of a request with a form body.
func request(addr, path, token, form string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, addr, token, len(form), form)
}

// load is a bounded closed loop: each connection sends, waits for the reply, and sends again.
type load struct {
	addr        string
	connections int
	next        func(worker, n int) []byte // the request; called by one goroutine for each worker
	limit       int64                      // requests in all; 0 for no bound but the duration
	duration    time.Duration
}

// result is what one round of load measured.
type result struct {
	rate     float64 // replies a second
	p50, p99 time.Duration
	count    int64
	size     int // of the last reply's body
}

// run loads until the duration or the limit is reached. Any reply other than
// 200 with "ok":true in front ends it with an error.
func (l load) run() (result, error) {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		all     []time.Duration
		res     result
		failure error
		started atomic.Int64
		stop    atomic.Bool
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		stop.Store(true)
		if failure == nil {
			failure = err
		}
	}
	conns := make([]*conn, l.connections)
	for i := range conns {
		c, err := dial(l.addr)
		if err != nil {
			return res, err
		}
		defer c.close()
		conns[i] = c
	}
	began := time.Now()
	deadline := began.Add(l.duration)
	for i, c := range conns {
		wg.Add(1)
		go func() {
			defer wg.Done()
			took := make([]time.Duration, 0, 1<<14)
			now := time.Now()
			for n := 0; now.Before(deadline) && !stop.Load(); n++ {
				if l.limit > 0 && started.Add(1) > l.limit {
					break
				}
				status, err := c.do(l.next(i, n))
				if err != nil {
					fail(err)
					return
				}
				if status != 200 || !bytes.HasPrefix(c.body, []byte(`{"ok":true`)) {
					fail(fmt.Errorf("status %d: %.300s", status, c.body))
					return
				}
				then := now
				now = time.Now()
				took = append(took, now.Sub(then))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			res.size = len(c.body)
		}()
	}
	wg.Wait()
	spent := time.Since(began)
	res.count = int64(len(all))
	if len(all) > 0 {
		res.rate = float64(len(all)) / spent.Seconds()
		slices.Sort(all)
		res.p50, res.p99 = percentile(all, 50), percentile(all, 99)
	}
	return res, failure
}

// percentile gives the p-th percentile of sorted values.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
