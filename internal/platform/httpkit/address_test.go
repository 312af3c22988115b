package httpkit_test

import (
	"net/http"
	"testing"

	"understudy/internal/platform/httpkit"
)

func TestClientAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"127.0.0.1:5000": "127.0.0.1", "192.0.2.7:1": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:9": "2001:db8:1:2::/64", "[2001:db8:1:2:ffff::1]:9": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:9": "fe80::/64", "[::1]:80": "::/64", "": "",
	} {
		if got := httpkit.ClientAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}
