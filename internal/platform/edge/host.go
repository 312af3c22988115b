package edge

import (
	"net"
	"strings"
)

// Hosts defines the host names that a listener accepts.
type Hosts struct {
	// Loopback is set for a listener on loopback. It accepts only localhost,
	// loopback addresses and the allowed names, as a protection against DNS
	// rebinding. Other listeners accept any name unless Allowed is set.
	Loopback bool
	// Allowed lists names, with or without a port; "*" matches any, "*.example.com"
	// each subdomain of example.com.
	Allowed []string
}

// Answers reports whether requests with this Host are accepted.
func (h Hosts) Answers(host string) bool {
	if !h.Loopback && len(h.Allowed) == 0 {
		return true
	}
	name := HostName(host)
	if h.Loopback && IsLoopback(name) {
		return true
	}
	for _, allowed := range h.Allowed {
		if strings.EqualFold(allowed, host) || matches(strings.ToLower(allowed), name) {
			return true
		}
	}
	return false
}

func matches(allowed, name string) bool {
	if suffix, ok := strings.CutPrefix(allowed, "*"); ok {
		return name != "" && strings.HasSuffix(name, suffix)
	}
	return name == HostName(allowed) && allowed == HostName(allowed) && name != ""
}

// HostName returns the name or address in a Host header, in lower case, without
// port, brackets and trailing dot.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsLoopback reports whether a name or address is that of the local machine.
func IsLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
