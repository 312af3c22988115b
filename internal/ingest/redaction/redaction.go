// Package redaction recognizes the names of members and attributes in which clients
// send credentials.
package redaction

import "strings"

// Text replaces a credential.
const Text = "[redacted]"

// IsCredential reports whether a member with this name is a credential. Of a name with
// dots, such as an attribute of OpenTelemetry, it compares only the last part with the
// known names; "token" and "secret" count anywhere in the name.
func IsCredential(name string) bool {
	n := strings.ToLower(name)
	switch n[strings.LastIndexByte(n, '.')+1:] {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api_key", "apikey", "api-key", "x-org-id", "password", "passwd":
		return true
	}
	return strings.Contains(n, "token") || strings.Contains(n, "secret")
}
