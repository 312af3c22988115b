package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestConnReadsEveryFramingOfAReply(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fixed":
			fmt.Fprint(w, `{"ok":true}`)
		case "/chunked":
			for range 3 {
				fmt.Fprint(w, strings.Repeat("a", 5000))
				w.(http.Flusher).Flush()
			}
		case "/empty":
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	c, err := Dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, row := range []struct {
		path         string
		status, size int
	}{{"/chunked", 200, 15000}, {"/fixed", 200, 11}, {"/empty", 429, 0}, {"/fixed", 200, 11}} {
		status, err := c.Do(request(addr, row.path))
		if err != nil || status != row.status || len(c.Body) != row.size {
			t.Errorf("%s: %d, %d bytes, %v; want %d, %d bytes", row.path, status, len(c.Body), err, row.status, row.size)
		}
	}
}

func TestLoadStopsAtItsBoundsAndAtAnError(t *testing.T) {
	calls := make(chan string, 1000)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls <- r.URL.Path
		if r.URL.Path == "/bad" {
			fmt.Fprint(w, `{"ok":false,"error":"fatal_error"}`)
			return
		}
		fmt.Fprint(w, `{"ok":true,"filler":"`+strings.Repeat("x", 77)+`"}`)
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	next := func(path string) func(int, int) []byte {
		return func(int, int) []byte { return request(addr, path) }
	}
	for _, limit := range []int64{50, 1} { // with one request three of the four connections have no reply
		begun := int64(len(calls))
		res, err := Load{Addr: addr, Connections: 4, Good: good, Limit: limit, Duration: 5 * time.Second, Next: next("/good")}.Run()
		if err != nil || res.Count != limit || int64(len(calls))-begun != limit || res.Size != 100 || res.P50 <= 0 || res.P99 < res.P50 {
			t.Errorf("load bounded to %d: %+v, %v, %d calls", limit, res, err, len(calls))
		}
	}
	if _, err := (Load{Addr: addr, Connections: 1, Good: good, Duration: 5 * time.Second, Next: next("/bad")}).Run(); err == nil || !strings.Contains(err.Error(), "fatal_error") {
		t.Errorf("a refusal must end the load with its text, got %v", err)
	}
}

func request(addr, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, addr)
}

func good(status int, body []byte) bool {
	return status == 200 && strings.HasPrefix(string(body), `{"ok":true`)
}
