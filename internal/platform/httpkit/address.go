package httpkit

import (
	"net/http"
	"net/netip"
)

// ClientAddress returns the client's address without its port, for counting by
// client. It reduces an IPv6 address to its 64-bit network, since one client
// usually has a whole network.
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
