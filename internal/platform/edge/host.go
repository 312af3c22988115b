package edge

import (
	"net"
	"strings"
)

// Hosts decides which names a listener answers to.
type Hosts struct {
	// Loopback is true for a listener on loopback. It answers localhost, loopback
	// addresses and the allowed names alone: a page whose name was made to point
	// here must not reach it. Other listeners answer any name unless some are allowed.
	Loopback bool
	// Allowed are names, with a port or without; "*" is any, "*.example.com" each below example.com.
	Allowed []string
}

// Answers reports whether a request with this Host is answered.
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

// HostName returns the name or address of a Host header, in lower case, without port, brackets and final dot.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsLoopback reports whether a name or address is this machine's own.
func IsLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
