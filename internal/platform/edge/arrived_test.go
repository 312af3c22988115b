//go:build unix

package edge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/httpkit"
)

// What clients have sent before Arrived was called, on new connections and on ones
// that were open, has reached its handler when it returns, also where they have
// gone; and clients that only hold a connection, or a request half sent, are waited
// for hardly or not at all.
func TestArrived(t *testing.T) {
	var set Connections
	l := listen(t)
	var reached atomic.Int64
	server := &http.Server{ConnContext: WithConn, ConnState: State,
		Handler: &Edge{Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
			reached.Add(1)
			httpkit.Reached(r.Context())
			<-r.Context().Done()
		})}}
	var accepted atomic.Int64
	go func() { _ = server.Serve(&counting{set.Listen(l, l), &accepted}) }()
	t.Cleanup(func() { _ = server.Close() })
	send := func(c net.Conn, text string) {
		if _, err := c.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	idle, half := dial(), dial()
	defer idle.Close()
	defer half.Close()
	send(half, "GET / HTTP/1.1\r\nHost: loc")
	const clients = 20
	for round := range 50 {
		held := make([]net.Conn, clients/2)
		for i := range held {
			held[i] = dial()
		}
		before := reached.Load()
		var sending sync.WaitGroup
		for i := range clients {
			sending.Go(func() {
				var c net.Conn
				if i < len(held) {
					c = held[i]
				} else {
					c = dial()
				}
				send(c, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n", i))
				_ = c.Close()
			})
		}
		sending.Wait()
		for int(accepted.Load()) < 2+(round+1)*clients { // between the system's list of connections and ours one is on neither
			time.Sleep(100 * time.Microsecond)
		}
		began := time.Now()
		set.Arrived(context.Background())
		if got := reached.Load() - before; got != clients {
			t.Fatalf("round %d: %d of %d requests have reached their handler after %v", round, got, clients, time.Since(began))
		}
	}
	for end := time.Now().Add(10 * time.Second); len(set.behind(nil)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are waited for, of which no request has come", len(set.behind(nil)))
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	set.Arrived(ended)
}

// counting counts what was accepted and listed.
type counting struct {
	net.Listener
	n *atomic.Int64
}

func (l *counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.n.Add(1)
	return c, err
}

// A connection that waits to be accepted is waited for.
func TestArrivedWaitsForAccepting(t *testing.T) {
	var set Connections
	l := listen(t)
	listed := set.Listen(l, l)
	if set.knock() {
		t.Error("nobody is there")
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !set.knock() {
		t.Error("a client that waits is not seen")
	}
	began := time.Now()
	set.Arrived(t.Context())
	if took := time.Since(began); took < mostArrival {
		t.Errorf("returned after %v, while a client waited", took)
	}
	conn, err := listed.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if set.knock() {
		t.Error("the client was accepted")
	}
}
