package main

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
	c, err := dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, row := range []struct {
		path         string
		status, size int
	}{{"/chunked", 200, 15000}, {"/fixed", 200, 11}, {"/empty", 429, 0}, {"/fixed", 200, 11}} {
		status, err := c.do(request(addr, row.path, "t", "a=1"))
		if err != nil || status != row.status || len(c.body) != row.size {
			t.Errorf("%s: %d, %d bytes, %v; want %d, %d bytes", row.path, status, len(c.body), err, row.status, row.size)
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
		_, _ = w.Write(fixedBody(100))
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	next := func(path string) func(int, int) []byte {
		return func(int, int) []byte { return request(addr, path, "t", "") }
	}
	res, err := load{addr: addr, connections: 4, limit: 50, duration: 5 * time.Second, next: next("/good")}.run()
	if err != nil || res.count != 50 || len(calls) != 50 || res.size != 100 || res.p50 <= 0 || res.p99 < res.p50 {
		t.Errorf("bounded load: %+v, %v, %d calls", res, err, len(calls))
	}
	if _, err := (load{addr: addr, connections: 1, duration: 5 * time.Second, next: next("/bad")}).run(); err == nil || !strings.Contains(err.Error(), "fatal_error") {
		t.Errorf("a refusal must end the load with its text, got %v", err)
	}
}

func TestWordsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range newWords(20000).list {
		if seen[w] {
			t.Fatalf("%q comes twice", w)
		}
		seen[w] = true
	}
}
