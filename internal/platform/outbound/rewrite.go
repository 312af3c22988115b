package outbound

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// rewrite replaces a prefix of an address.
type rewrite struct{ from, to string }

// Rewriting returns a client that shares c's connections and replaces each prefix
// of an address that is a key of destinations by its value. The longest key wins;
// a key matches only whole path segments.
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

// target returns the address to which a request for address is sent.
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

// normal returns an address with its scheme and host in lower case and without a
// trailing slash.
func normal(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return strings.TrimSuffix(u.String(), "/")
}

// Allows reports whether requests may be sent to an address, judging by its text:
// it is a web address, and not a private one unless these are allowed. A host
// name is checked again after resolution.
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
