package outbound

import (
	"errors"
	"net/netip"
	"syscall"
)

var errPrivate = errors.New("the address is not public")

// control refuses addresses once a name has been resolved, just before the
// connection is made: a name cannot lead inside by pointing elsewhere later.
func (c *Client) control(_, address string, _ syscall.RawConn) error {
	if c.allowPrivate {
		return nil
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errPrivate
	}
	return nil
}

// special are the ranges that the predicates of netip do not name: this
// network, carrier NAT, protocol assignments, 6to4 relays, benchmarking,
// documentation, reserved, and those of IPv6 that carry an IPv4 address inside.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

// global is the part of IPv6 of which public addresses are given out.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.Is6() && !global.Contains(a) || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
