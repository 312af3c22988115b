package record

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const secretNames = `token|inviteToken|invite_token|password|secret|api_key|apiKey|key|access_token|accessToken|refresh_token|refreshToken|` +
	`client_secret|clientSecret|signing_secret|verification_token|bot_token|user_token|authorization|code`

// Patterns for secrets from their beginning: they match the rest of a text, and
// their first group, if any, is kept. scan.go finds where to try them.
var (
	// "password": "…" in JSON, also escaped inside a JSON string.
	secretMember = regexp.MustCompile(`(?i)^("(?:[a-z_]*(?:password|secret)|` + secretNames + `)\\?"\s*:\s*)\\?"(?:[^"\\]|\\[^"]|\\")*"?`)
	// ?code=… and &token=… in URLs anywhere.
	secretInURL = regexp.MustCompile(`(?i)^([?&](?:[a-z_]*(?:password|secret)|` + secretNames + `)=)[^&#"'<>\\\s]*`)
	// password=… in forms and queries.
	secretField = regexp.MustCompile(`(?i)^(&?(?:[a-z_]*(?:password|secret)|` + secretNames + `)=)[^&]*`)
	// Tokens of this program, anywhere.
	secretForm = regexp.MustCompile(`^()(?:xox[bp]-[A-Za-z0-9-]{6,}|xapp-[A-Za-z0-9-]{6,}|(?:pat|oat|ort)-na1-[A-Za-z0-9-]{6,}|trk_(?:api|inv)_[A-Za-z0-9]{6,}|` +
		`trk_wh_[A-Za-z0-9]{6,}|adm_[A-Za-z0-9]{20,}|sk_[A-Za-z0-9]{16,}|rt_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)`)
)

// Secrets in GraphQL texts, and addresses that are secrets.
var (
	blank        = `(?:\s|,|\\[nrt])*`
	secretInText = regexp.MustCompile(`(?i)(\b[a-z_]*(?:password|secret|token)` + blank + `:` + blank + `)(?:(?:\\"){3}.*?(?:(?:\\"){3}|$)|` +
		`\\"(?:[^"\\]|\\\\\\"|\\[^"])*(?:\\"|$)|"(?:[^"\\]|\\.)*(?:"|$))`)
	secretAlias    = regexp.MustCompile(`(?i)\b([a-z_]\w*)` + blank + `:` + blank + `[a-z_]*(?:password|secret|token)\b`)
	secretVariable = regexp.MustCompile(`(?i)\b[a-z_]*(?:password|secret|token)` + blank + `:` + blank + `\$([a-z_]\w*)`)
	secretAddress  = regexp.MustCompile(`/(?:webhooks/incoming|responses|invitations|services/\w+/\w+)/([A-Za-z0-9]{20,})`)
)

// redact removes the secrets from a request, into new texts: the recorder's may
// be read concurrently.
func (r *Request) redact() {
	r.Path = string(redact([]byte(r.Path))) // some paths end in a token
	r.Query = string(redact([]byte(r.Query)))
	if bytes.Contains(r.Body, []byte(`"query"`)) && mentionsSecret(r.Body) {
		if named := namedIn(r.Body); named != nil {
			r.Body, r.Reply = named.ReplaceAll(r.Body, member), named.ReplaceAll(r.Reply, member)
		}
		r.Body = secretInText.ReplaceAll(r.Body, []byte(`${1}\"[redacted]\"`))
	}
	if holdsAddress(r.Reply) {
		for _, m := range secretAddress.FindAllSubmatch(r.Reply, -1) { // the last part also occurs separately
			r.Reply = bytes.ReplaceAll(r.Reply, m[1], []byte("[redacted]"))
		}
	}
	r.Body, r.Reply = redact(r.Body), redact(r.Reply)
}

// namedIn returns a pattern for members that hold secrets according to the
// variables or reply names of a GraphQL text; nil for none.
func namedIn(body []byte) *regexp.Regexp {
	var names []string
	for _, how := range []*regexp.Regexp{secretAlias, secretVariable} {
		for _, m := range how.FindAllSubmatch(body, -1) {
			names = append(names, string(m[1]))
		}
	}
	if names == nil {
		return nil
	}
	return regexp.MustCompile(`(\\?"(?:` + strings.Join(names, "|") + `)\\?"\s*:\s*)\\?"(?:[^"\\]|\\[^"]|\\")*"?`)
}

var member = []byte(`${1}"[redacted]"`)

// Redact removes secrets that are recognized by their place or form, and the
// given secrets anywhere.
func Redact(text string, secrets ...string) string {
	return string(redact(without([]byte(text), secrets)))
}

var redactedText = []byte("[redacted]")

// without returns b without the given secrets, also as JSON encodes them.
func without(b []byte, secrets []string) []byte {
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		b = bytes.ReplaceAll(b, []byte(s), redactedText)
		for _, escaped := range [...]string{escape(s, 0x7f), escape(s, utf8.MaxRune)} {
			if escaped != s {
				b = bytes.ReplaceAll(b, []byte(escaped), redactedText)
			}
		}
	}
	return b
}

// escape returns a text as it stands in JSON, with escapes for the letters after last.
func escape(s string, last rune) string {
	var out []byte
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', byte(c))
		case c >= ' ' && c <= last:
			out = utf8.AppendRune(out, c)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, c)
		}
	}
	return string(out)
}

const (
	// minSecret is the shortest text that is redacted as a secret: shorter ones occur
	// in any text.
	minSecret = 6
	// maxSecrets bounds the secrets of a request that are searched for.
	maxSecrets = 100
)
