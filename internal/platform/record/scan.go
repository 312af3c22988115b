package record

import "bytes"

// word holds the bytes that names consist of.
var word = func() (t [256]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// stops holds the bytes at which a secret shows: its name ends before ':' or
// '=', its form or its address has one of the others in a fixed place.
var stops = [256]bool{':': true, '=': true, '-': true, '_': true, '/': true, 'J': true}

// blanks holds the bytes that may stand between a name in quotes and its ':'.
var blanks = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '\f': true}

// lastOfName holds the bytes that the names of secrets end in.
var lastOfName = [256]bool{'t': true, 'T': true, 'd': true, 'D': true, 'n': true, 'N': true, 'y': true, 'Y': true, 'e': true, 'E': true}

// mayHold reports whether a text may hold a secret, in one pass: most texts do
// not, and are spared the patterns that find where. graphql is for a request
// whose text may call a secret by any name.
func mayHold(b []byte, graphql bool) bool {
	for i, c := range b {
		if stops[c] && showsAt(b, i) {
			return true
		}
	}
	return graphql && mentionsSecret(b)
}

// showsAt reports whether the byte at i, one of stops, is where a secret shows.
func showsAt(b []byte, i int) bool {
	before, after := b[:i], b[i+1:]
	switch b[i] {
	case ':': // "name": in JSON, also inside a JSON string
		end := i
		for end > 0 && blanks[b[end-1]] {
			end--
		}
		if end == 0 || b[end-1] != '"' {
			return false
		}
		if end--; end > 0 && b[end-1] == '\\' {
			end--
		}
		return end > 0 && lastOfName[b[end-1]] && namesSecret(lastWord(b[:end]))
	case '=': // name= in forms and addresses
		return i > 0 && lastOfName[b[i-1]] && namesSecret(lastWord(before))
	case '-':
		return (hasSuffix(before, "xoxb") || hasSuffix(before, "xoxp") || hasSuffix(before, "xapp")) && len(after) >= 6 ||
			bytes.HasPrefix(after, []byte("na1-")) && (hasSuffix(before, "pat") || hasSuffix(before, "oat") || hasSuffix(before, "ort"))
	case '_':
		return hasSuffix(before, "trk") || hasSuffix(before, "adm") ||
			hasSuffix(before, "sk") && beginsWithAlnum(after, 16) || hasSuffix(before, "rt") && beginsWithAlnum(after, 20)
	case '/':
		return hasSuffix(before, "/webhooks/incoming") || hasSuffix(before, "/responses") ||
			hasSuffix(before, "/services") || hasSuffix(before, "/invitations")
	default: // 'J', as in the header of a signed token
		return hasSuffix(before, "ey")
	}
}

// mentionsSecret reports whether any word of a GraphQL text is the name of a secret.
func mentionsSecret(b []byte) bool {
	for len(b) > 0 {
		name := lastWord(b)
		if hasSuffixFold(name, "secret") || hasSuffixFold(name, "password") || hasSuffixFold(name, "token") {
			return true
		}
		b = b[:max(0, len(b)-len(name)-1)]
	}
	return false
}

// lastWord returns the bytes of a name that a text ends in, none for none.
func lastWord(b []byte) []byte {
	i := len(b)
	for i > 0 && word[b[i-1]] {
		i--
	}
	return b[i:]
}

// beginsWithAlnum reports whether a text begins with n letters or digits.
func beginsWithAlnum(b []byte, n int) bool {
	for i := range n {
		if i >= len(b) || !word[b[i]] || b[i] == '_' {
			return false
		}
	}
	return true
}

// namesSecret reports whether a name is one of a secret.
func namesSecret(name []byte) bool {
	if len(name) == 0 {
		return false
	}
	switch name[len(name)-1] | 0x20 {
	case 't':
		return hasSuffixFold(name, "secret")
	case 'd':
		return hasSuffixFold(name, "password")
	case 'n':
		return hasSuffixFold(name, "token") || equalFold(name, "authorization")
	case 'y':
		return equalFold(name, "key") || equalFold(name, "api_key") || equalFold(name, "apikey")
	case 'e':
		return equalFold(name, "code")
	}
	return false
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
