package realtime

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// What a client says during the handshake is read after it.
func TestNothingIsReadBeforeTheHandshakeIsOver(t *testing.T) {
	var early atomic.Bool
	read := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		g := &gate{w, make(chan struct{})}
		defer close(g.over)
		c, _, err := g.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte("hello"))
		go func() {
			defer func() { _ = c.Close() }()
			p := make([]byte, 10)
			n, _ := c.Read(p)
			early.Store(!isClosed(g.over))
			read <- string(p[:n])
		}()
		time.Sleep(50 * time.Millisecond) // the client has answered
	}))
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	_, _ = c.Read(make([]byte, 5))
	_, _ = c.Write([]byte("40"))
	if got := <-read; got != "40" || early.Load() {
		t.Errorf("read %q, before the end: %t", got, early.Load())
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
