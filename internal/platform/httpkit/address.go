package httpkit

import (
	"net/http"
	"net/netip"
)

// ClientAddress returns the address that a request came from, without its
// port, for counting by client. An IPv6 address is cut to the 64 bits of its
// network: who has one address has all that begin with them.
func ClientAddress(r *http.Request) string { return clientAddress(r.RemoteAddr) }

func clientAddress(remote string) string {
	a, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := a.Addr().Unmap()
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
