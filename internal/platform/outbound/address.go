package outbound

import (
	"errors"
	"net/netip"
	"syscall"
)

var errPrivate = errors.New("the address is not public")

// control rejects private addresses after name resolution, just before
// connecting, so that a name cannot be rebound to a private address.
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

// special are the ranges that the predicates of netip do not cover: this network,
// carrier NAT, protocol assignments, 6to4 relays, benchmarking, documentation,
// reserved, and IPv6 ranges that embed IPv4 addresses.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

// global is the range of public IPv6 addresses.
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
