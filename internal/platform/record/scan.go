package record

import (
	"bytes"
	"regexp"
)

// word holds the bytes of names.
var word = func() (t [256]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// stops holds the bytes that indicate a secret: ':' or '=' after its name, and
// the others at a fixed place of its form.
var stops = [256]bool{':': true, '=': true, '-': true, '_': true, 'J': true}

// blanks holds the bytes that are allowed between a quoted name and its ':'.
var blanks = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '\f': true}

// lastOfName holds the bytes with which names of secrets end.
var lastOfName = [256]bool{'t': true, 'T': true, 'd': true, 'D': true, 'n': true, 'N': true, 'y': true, 'Y': true, 'e': true, 'E': true}

// redact replaces secrets that are recognized by their place in the text or by
// their form. It scans each byte once, and each secret from its beginning, so
// that a secret costs no more in a long text. It may return b.
func redact(b []byte) []byte {
	var out []byte
	done, form := 0, isForm(b)
	for i := 0; i < len(b); i++ {
		if !stops[b[i]] {
			continue
		}
		from, kept, end := secretAt(b, done, i, form)
		if end == 0 {
			continue
		}
		out = append(append(out, b[done:from+kept]...), "[redacted]"...)
		if b[i] == ':' { // so that the rest remains valid JSON
			out = append(out[:len(out)-len("[redacted]")], `"[redacted]"`...)
		}
		done, i = end, end-1
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}

// isForm reports whether a text, which is not JSON, may be a form.
func isForm(b []byte) bool {
	first := bytes.TrimLeft(b, " \t\r\n")
	return len(first) > 0 && first[0] != '{' && first[0] != '['
}

// secretAt returns the beginning of the secret that is indicated at i (at done or
// later), how many of its bytes are kept, and its end: 0 for none.
func secretAt(b []byte, done, i int, form bool) (from, kept, end int) {
	before, after := b[done:i], b[i+1:]
	try := func(how *regexp.Regexp, back int) bool {
		if back > len(before) {
			return false
		}
		m := how.FindSubmatchIndex(b[i-back:])
		if m == nil {
			return false
		}
		from, kept, end = i-back, m[3], i-back+m[1]
		return true
	}
	switch b[i] {
	case ':': // "name": in JSON, also escaped inside a JSON string
		name := before
		for len(name) > 0 && blanks[name[len(name)-1]] {
			name = name[:len(name)-1]
		}
		name, quoted := bytes.CutSuffix(name, []byte(`"`))
		if !quoted {
			return
		}
		name = bytes.TrimSuffix(name, []byte(`\`))
		if len(name) > 0 && lastOfName[name[len(name)-1]] && namesSecret(lastWord(name)) {
			try(secretMember, len(before)-len(name)+len(lastWord(name))+1)
		}
	case '=': // name= in forms and URLs
		if len(before) == 0 || !lastOfName[before[len(before)-1]] || !namesSecret(lastWord(before)) {
			return
		}
		back := len(lastWord(before))
		switch {
		case form && (back == i || back < len(before) && b[i-back-1] == '&'):
			try(secretField, min(back+1, i))
		default:
			try(secretInURL, back+1)
		}
	case '-':
		if hasSuffix(before, "xoxb") || hasSuffix(before, "xoxp") || hasSuffix(before, "xapp") {
			try(secretForm, 4)
		} else if bytes.HasPrefix(after, []byte("na1-")) {
			try(secretForm, 3)
		}
	case '_':
		_ = (hasSuffix(before, "trk") || hasSuffix(before, "adm")) && try(secretForm, 3) ||
			(hasSuffix(before, "sk") || hasSuffix(before, "rt")) && try(secretForm, 2)
	default: // 'J', as in the header of a JWT
		if hasSuffix(before, "ey") {
			try(secretForm, 2)
		}
	}
	return from, kept, end
}

// holdsAddress reports whether a text may contain a secret address.
func holdsAddress(b []byte) bool {
	for at := 0; ; {
		n := bytes.IndexByte(b[at:], '/')
		if n < 0 {
			return false
		}
		at += n + 1
		if before := b[:at-1]; hasSuffix(before, "/webhooks/incoming") || hasSuffix(before, "/responses") ||
			hasSuffix(before, "/services") || hasSuffix(before, "/invitations") {
			return true
		}
	}
}

// mentionsSecret reports whether a GraphQL text contains the name of a secret.
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

// lastWord returns the name at the end of a text, or nothing.
func lastWord(b []byte) []byte {
	i := len(b)
	for i > 0 && word[b[i-1]] {
		i--
	}
	return b[i:]
}

// namesSecret reports whether a name is that of a secret.
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

// equalFold compares ignoring case; text is in lower case.
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
