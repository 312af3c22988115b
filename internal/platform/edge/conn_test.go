package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// listen returns a listener on a free port of loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// A reply that is longer than writeSize is sent in parts. Its last part arrives
// whatever its length is, also if it would fit into the server's buffer.
func TestLongRepliesArriveWhole(t *testing.T) {
	var set Connections
	l := listen(t)
	var length int
	around := httpkit.Around{Recorder: record.New(clock.System()), NewID: func() string { return "id" }, Observe: func(string, int, time.Duration) {}}
	server := &http.Server{ConnContext: WithConn, ConnState: State,
		Handler: &Edge{Next: around.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			httpkit.WriteRaw(w, http.StatusOK, make([]byte, length))
		}))}}
	go func() { _ = server.Serve(set.Listen(httpkit.OneWrite(l), l)) }()
	t.Cleanup(func() { _ = server.Close() })

	client := http.Client{Timeout: 5 * time.Second}
	for _, over := range []int{-100, 1000, 2000, 3000, 4000, 5000, 6000, 8000, 9000} {
		length = 2*writeSize + over
		res, err := client.Get("http://" + l.Addr().String() + "/")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, res.Body); n != int64(length) || err != nil {
			t.Errorf("%d of %d bytes arrived: %v", n, length, err)
		}
		_ = res.Body.Close()
	}
}

// Requests that follow each other on a connection without waiting for replies
// are each looked at, and their bodies arrive as they were sent, whatever the
// packets are that they come in.
func TestRequestsInOnePacket(t *testing.T) {
	var set Connections
	l := listen(t)
	edge := &Edge{Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%v %s %s", httpkit.HasBadURL(r), r.URL.Path, body)
	})}
	server := &http.Server{Handler: edge, ConnContext: WithConn, ConnState: State}
	go func() { _ = server.Serve(set.Listen(l, l)) }()
	t.Cleanup(func() { _ = server.Close() })

	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }
	post := func(path, body string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	}
	const odd = "GET /a%zz HTTP/1.1\r\n\r\n%"
	long := "/" + strings.Repeat("x", 4086) + "%20" + strings.Repeat("%41", 20)
	for name, x := range map[string]struct {
		parts []string
		want  []string
	}{
		"two":           {[]string{get("/a") + get("/b%zz")}, []string{"false /a ", "true /b_zz "}},
		"three":         {[]string{get("/%") + get("/b") + get("/c%1")}, []string{"true /_ ", "false /b ", "true /c_1 "}},
		"bodies":        {[]string{post("/a", odd) + post("/b%", odd) + get("/c%x")}, []string{"false /a " + odd, "true /b_ " + odd, "true /c_x "}},
		"a body later":  {[]string{get("/a") + strings.TrimSuffix(post("/b", odd), odd), odd + get("/c%")}, []string{"false /a ", "false /b " + odd, "true /c_ "}},
		"in two pieces": {[]string{post("/a", odd)[:len(post("/a", odd))-5], odd[len(odd)-5:] + get("/b%")}, []string{"false /a " + odd, "true /b_ "}},
		"a long path":   {[]string{get(long)}, []string{"false " + strings.ReplaceAll(strings.ReplaceAll(long, "%20", " "), "%41", "A") + " "}},
		"long bodies":   {[]string{post("/a", strings.Repeat(odd, 1000)) + get("/b%")}, []string{"false /a " + strings.Repeat(odd, 1000), "true /b_ "}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
			for _, part := range x.parts {
				if _, err := io.WriteString(conn, part); err != nil {
					t.Fatal(err)
				}
				time.Sleep(20 * time.Millisecond)
			}
			replies := bufio.NewReader(conn)
			for _, want := range x.want {
				reply, err := http.ReadResponse(replies, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(reply.Body)
				if string(body) != want {
					t.Errorf("%.100q, want %.100q", body, want)
				}
			}
		})
	}
}
