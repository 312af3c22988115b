package record

import "bytes"

// word holds the bytes that names consist of.
var word = func() (t [256]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// last holds the bytes that names of secrets end in.
var last = [256]bool{'t': true, 'T': true, 'd': true, 'D': true, 'n': true, 'N': true, 'y': true, 'Y': true, 'e': true, 'E': true}

// addresses are the paths that end in a secret.
var addresses = [][]byte{[]byte("/webhooks/incoming/"), []byte("/responses/"), []byte("/services/"), []byte("/invitations/")}

// mayHold reports whether a text may hold a secret, in one pass: most texts do
// not, and are spared the patterns that find where. graphql is for a request
// whose text may give a secret any name.
func mayHold(b []byte, graphql bool) bool {
	for i := 0; i < len(b); {
		if !word[b[i]] {
			i++
			continue
		}
		start := i
		for i++; i < len(b) && word[b[i]]; i++ {
		}
		if last[b[i-1]] && namesSecret(b[start:i], b[i:], graphql) {
			return true
		}
		next := byte(0)
		if i < len(b) {
			next = b[i]
		}
		if (next == '-' || next == '.' || i-start >= 14) && hasForm(b[start:i], next) {
			return true
		}
	}
	for _, a := range addresses {
		if bytes.Contains(b, a) {
			return true
		}
	}
	return false
}

// namesSecret reports whether a name is one of a secret that rest may begin
// with the value of, or in a GraphQL text wherever it stands.
func namesSecret(name, rest []byte, graphql bool) bool {
	switch name[len(name)-1] | 0x20 {
	case 't':
		if !hasSuffixFold(name, "secret") {
			return false
		}
	case 'd':
		if !hasSuffixFold(name, "password") {
			return false
		}
	case 'n':
		if !hasSuffixFold(name, "token") && !equalFold(name, "authorization") {
			return false
		}
	case 'y':
		if !equalFold(name, "key") && !equalFold(name, "api_key") && !equalFold(name, "apikey") {
			return false
		}
	case 'e':
		if !equalFold(name, "code") {
			return false
		}
	default:
		return false
	}
	if graphql {
		return true
	}
	for _, c := range rest {
		switch c {
		case '"', '\\', '=', ':':
			return true
		case ' ', '\t', '\r', '\n', ',':
		default:
			return false
		}
	}
	return false
}

// hasForm reports whether a word, with what follows it, has the form of one of
// our tokens; other text may stand before it.
func hasForm(name []byte, next byte) bool {
	switch next {
	case '-':
		for _, end := range []string{"xoxb", "xoxp", "xapp", "pat", "oat", "ort"} {
			if hasSuffix(name, end) {
				return true
			}
		}
		fallthrough
	case '.':
		if bytes.Contains(name, []byte("eyJ")) {
			return true
		}
	}
	return len(name) >= 14 && (bytes.Contains(name, []byte("trk_")) || bytes.Contains(name, []byte("sk_")) ||
		bytes.Contains(name, []byte("rt_")) || bytes.Contains(name, []byte("adm_")))
}

func hasSuffix(name []byte, suffix string) bool {
	return len(name) >= len(suffix) && string(name[len(name)-len(suffix):]) == suffix
}

func hasSuffixFold(name []byte, suffix string) bool {
	return len(name) >= len(suffix) && equalFold(name[len(name)-len(suffix):], suffix)
}

// equalFold compares with a text of small letters.
func equalFold(name []byte, text string) bool {
	if len(name) != len(text) {
		return false
	}
	for i := range name {
		if c := name[i]; c != text[i] && (c < 'A' || c > 'Z' || c|0x20 != text[i]) {
			return false
		}
	}
	return true
}
