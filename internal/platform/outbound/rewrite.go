package outbound

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// rewrite replaces the beginning of an address.
type rewrite struct{ from, to string }

// Rewriting returns a client that shares the connections of c and sends what is
// for an address that begins with a key of destinations to the value in its place.
// The longest key wins; a key ends where a part of a path does.
func (c *Client) Rewriting(destinations map[string]string) *Client {
	if c == nil || len(destinations) == 0 {
		return c
	}
	out := *c
	out.rewrites = nil
	for from, to := range destinations {
		out.rewrites = append(out.rewrites, rewrite{normal(from), strings.TrimSuffix(to, "/")})
	}
	slices.SortFunc(out.rewrites, func(a, b rewrite) int {
		return cmp.Or(cmp.Compare(len(b.from), len(a.from)), cmp.Compare(a.from, b.from))
	})
	return &out
}

// target returns the address to which a request for another is sent.
func (c *Client) target(address string) string {
	if len(c.rewrites) == 0 {
		return address
	}
	at := normal(address)
	for _, r := range c.rewrites {
		if rest, ok := strings.CutPrefix(at, r.from); ok && (rest == "" || strings.ContainsRune("/?#", rune(rest[0]))) {
			return r.to + rest
		}
	}
	return address
}

// normal returns an address with its scheme and host in lower case and without
// the slash at its end.
func normal(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return strings.TrimSuffix(u.String(), "/")
}

// Allows reports whether requests may be sent to an address, as far as its text
// shows: it is a web address, and none of a private host where those are not
// allowed. A name is looked at again when it has been resolved.
func (c *Client) Allows(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !webURL(u) || u.User != nil {
		return false
	}
	if c.allowPrivate {
		return true
	}
	host := u.Hostname()
	if at, err := netip.ParseAddr(host); err == nil {
		return public(at)
	}
	return !strings.EqualFold(host, "localhost") && !strings.HasSuffix(strings.ToLower(host), ".localhost") && net.ParseIP(host) == nil
}
