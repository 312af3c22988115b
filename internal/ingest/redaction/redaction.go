// Package redaction recognizes the names under which clients send credentials.
package redaction

import "strings"

// Text replaces a credential.
const Text = "[redacted]"

// IsCredential reports whether a member of this name holds a credential. It also
// checks the last part of a name with dots, such as an attribute of
// OpenTelemetry.
func IsCredential(name string) bool {
	n := strings.ToLower(name)
	switch n[strings.LastIndexByte(n, '.')+1:] {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api_key", "apikey", "api-key", "x-org-id", "password", "passwd":
		return true
	}
	return strings.Contains(n, "token") || strings.Contains(n, "secret")
}
