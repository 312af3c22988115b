package outbound

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestPublicAddresses(t *testing.T) {
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8", "2a00:1450::1"} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s counts as private", a)
		}
	}
	for _, a := range []string{"127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "0.0.0.0", "0.1.2.3",
		"100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1",
		"ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "fec0::1",
		"::ffff:0:127.0.0.1", "64:ff9b:1::1", "100::1", "3fff::1", "5f00::1", "4000::1", "192.88.99.1"} {
		if public(netip.MustParseAddr(a)) {
			t.Errorf("%s counts as public", a)
		}
	}
}

func send(c *Client, url string) Reply {
	timeout := 20 * time.Second // enough on a busy machine
	if strings.HasSuffix(url, "/hung") {
		timeout = 300 * time.Millisecond
	}
	return c.Send(context.Background(), Request{URL: url, Body: []byte("x"), Timeout: timeout,
		Header: map[string]string{"Content-Type": "application/json"}})
}

func TestPrivateAddressesAreRefusedAtDialTime(t *testing.T) {
	hit := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit = true }))
	defer s.Close()
	for _, url := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} { // the second only after its name was resolved
		if r := send(New(false), url); r.Outcome != Forbidden || r.OK() {
			t.Errorf("%s: %+v", url, r)
		}
		if New(false).Reachable(context.Background(), url) {
			t.Errorf("%s counts as reachable", url)
		}
	}
	if hit {
		t.Error("a private address was reached")
	}
	if r := send(New(true), s.URL); !r.OK() {
		t.Errorf("%+v", r)
	}
}

func TestOutcomes(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect)
		case "/refused":
			w.WriteHeader(http.StatusTeapot)
		case "/hung":
			<-release
		case "/broken":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		case "/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("half"))
		case "/huge":
			_, _ = w.Write(make([]byte, 1<<20))
		default:
			if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept-Encoding") != "" {
				w.WriteHeader(http.StatusBadRequest)
			}
		}
	}))
	defer s.Close()
	defer close(release)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.Close()
	c := New(true)
	for _, row := range []struct {
		url     string
		outcome Outcome
		status  int
	}{
		{s.URL + "/ok", Answered, 200}, {s.URL + "/refused", Answered, 418}, {s.URL + "/moved", Redirected, 307},
		{s.URL + "/hung", TimedOut, 0}, {s.URL + "/broken", Broken, 0}, {s.URL + "/huge", Answered, 200}, {s.URL + "/cut", Answered, 200},
		{secure.URL, TLSFailed, 0}, {"http://" + dead.Addr().String(), Unreachable, 0}, {"http://nowhere.invalid/", Unreachable, 0},
		{"ftp://x/", Forbidden, 0}, {"not a url", Forbidden, 0}, {"http://", Forbidden, 0},
	} {
		r := send(c, row.url)
		if r.Outcome != row.outcome || r.Status != row.status || len(r.Body) > MaxReply {
			t.Errorf("%s: %s %d %q", row.url, r.Outcome, r.Status, r.Error)
		}
		if r.Cut != strings.HasSuffix(row.url, "/cut") {
			t.Errorf("%s: cut is %t", row.url, r.Cut)
		}
		if (r.Outcome == Answered) != (r.Error == "") {
			t.Errorf("%s: %s with error %q", row.url, r.Outcome, r.Error)
		}
	}
}

// The error for a name that cannot be resolved does not name the DNS server.
func TestNoWordOfTheNameServer(t *testing.T) {
	err := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x.invalid", Server: "10.1.2.3:53", IsNotFound: true}}
	if r := failure(err); r.Outcome != Unreachable || strings.Contains(r.Error, "10.1.2.3") || !strings.Contains(r.Error, "x.invalid: no such host") {
		t.Errorf("%+v", r)
	}
}
