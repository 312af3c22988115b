package httpkit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"
)

// pair returns the two ends of a connection, of which the first joins writes.
func pair(t *testing.T) (*oneWriteConn, net.Conn) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := OneWrite(plain)
	t.Cleanup(func() { _ = l.Close() })
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = far.Close(), near.Close() })
	return near.(*oneWriteConn), far
}

func TestTheFirstWriteWaitsForTheNext(t *testing.T) {
	near, far := pair(t)
	first, rest := bytes.Repeat([]byte("1"), serverBuffer), bytes.Repeat([]byte("2"), 5*serverBuffer)
	write := func(b []byte) {
		t.Helper()
		mine := bytes.Clone(b)
		if n, err := near.Write(mine); n != len(b) || err != nil {
			t.Errorf("%d of %d bytes written: %v", n, len(b), err)
		}
		clear(mine) // the server uses its buffer again
	}
	read := func(want []byte) {
		t.Helper()
		got := make([]byte, len(want))
		_ = far.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes did not come as they were written: %v", len(want), err)
		}
	}
	silent := func() {
		t.Helper()
		_ = far.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
		if n, err := far.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes came too soon: %v", n, err)
		}
	}
	write(first)
	read(first)
	near.holding = true
	write(first)
	silent()
	write(rest)
	read(append(bytes.Clone(first), rest...))
	write(rest)
	read(rest)
	write(first)
	read(first)
	near.holding = true
	write(rest)
	read(rest)
	write(first)
	read(first)
	near.holding = true
	write(first)
	silent()
	near.holding = false
	write(first)
	read(append(bytes.Clone(first), first...))
}

// The first part of a reply that is a little longer than the server's buffer leaves
// with the rest.
func TestALittleMoreThanTheBufferLeavesAtOnce(t *testing.T) {
	body, end := bytes.Repeat([]byte("b"), serverBuffer+1000), make(chan bool)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = inOneWrite(w, r).Write(body)
		<-end
	}))
	srv.Listener = OneWrite(srv.Listener)
	srv.Config.ConnContext = WithConn
	srv.Start()
	defer srv.Close()
	far, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	_, _ = io.WriteString(far, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	_ = far.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := far.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes came before the rest was sent: %v", n, err)
	}
	close(end)
	_ = far.SetReadDeadline(time.Now().Add(5 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(far), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes came: %v", len(got), err)
	}
}

// Replies of every length come whole, one after the other on one connection,
// in one piece, in pieces and flushed between.
func TestRepliesComeWhole(t *testing.T) {
	body := make([]byte, 100_000)
	for i := range body {
		body[i] = byte(i % 251)
	}
	lengths := []int{0, 1, serverBuffer / 2, serverBuffer/2 + 1, 3000, serverBuffer - 100, serverBuffer, 2*serverBuffer - 1, 2 * serverBuffer, 2*serverBuffer + 1, 3 * serverBuffer, len(body)}
	var length int
	parts := map[string]func(w http.ResponseWriter, b []byte){
		"whole": func(w http.ResponseWriter, b []byte) { _, _ = w.Write(b) },
		"two": func(w http.ResponseWriter, b []byte) {
			_, _ = w.Write(b[:len(b)/3])
			_, _ = w.Write(b[len(b)/3:])
		},
		"flushed": func(w http.ResponseWriter, b []byte) {
			_, _ = w.Write(b[:len(b)/2])
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(b[len(b)/2:])
		},
	}
	held := false
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts[r.URL.Query().Get("parts")](inOneWrite(w, r), body[:length])
	}))
	srv.Listener = OneWrite(srv.Listener)
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_, one := c.(*oneWriteConn)
		held = held || one
		return WithConn(ctx, c)
	}
	srv.Start()
	defer srv.Close()
	for name := range parts {
		for _, length = range lengths {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				req, _ := http.NewRequest(method, srv.URL+"/?parts="+name, nil)
				res, err := srv.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if want := body[:length]; err != nil || method == http.MethodGet && !bytes.Equal(got, want) {
					t.Errorf("%s %d bytes, %s: %d came, %v", method, length, name, len(got), err)
				}
			}
		}
	}
	if !held {
		t.Error("the server had no connection that holds writes")
	}
}
