// Package mrkdwn parses and writes the markup of message text: it converts
// received text to stored text (Normalize), and stored text to blocks (RichText),
// searchable words (Plain) and facts for search.
//
// Stored text has '&', '<' and '>' as entities, except in control sequences such
// as <@U1>, <#C1|name>, <!here> and <https://example.com|label>. Names are
// resolved through a Resolver.
package mrkdwn

import "strings"

// Control is one <…> sequence.
type Control struct {
	kind  byte   // '@', '#', '!' for its first character, 'u' for a link
	value string // without the kind's sign, before the first '|'
	label string
	named bool // has a label
}

// ControlAt parses the control sequence at s[i], which is '<', and returns the
// index after it; 0 when there is none.
func ControlAt(s string, i int) (c Control, end int) {
	if i+3 >= len(s) {
		return c, 0
	}
	n := strings.IndexAny(s[i+1:], "<>\n")
	if n < 2 || s[i+1+n] != '>' {
		return c, 0
	}
	body, end := s[i+1:i+1+n], i+n+2
	c.value, c.label, c.named = strings.Cut(body, "|")
	switch c.kind = body[0]; c.kind {
	case '@', '#':
		if c.value = c.value[1:]; !isID(c.value, c.kind) {
			return c, 0
		}
	case '!':
		if c.value = c.value[1:]; c.value == "" || !isLetter(c.value[0]) {
			return c, 0
		}
	default:
		c.kind = 'u'
		if !isURL(c.value) {
			return c, 0
		}
	}
	return c, end
}

// isID reports whether s is the id of a user (kind '@') or of a conversation
// ('#').
func isID(s string, kind byte) bool {
	if len(s) < 2 || len(s) > 32 {
		return false
	}
	first := "UW"
	if kind == '#' {
		first = "CGD"
	}
	if strings.IndexByte(first, s[0]) < 0 {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// isURL reports whether s is an address with a scheme that messages may link to.
func isURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || scheme == "" || !isLetter(scheme[0]) || strings.ContainsAny(rest, " \t\r") {
		return false
	}
	for i := 1; i < len(scheme); i++ {
		if c := scheme[i]; !isAlnum(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	if strings.EqualFold(scheme, "mailto") || strings.EqualFold(scheme, "tel") {
		return true
	}
	return len(rest) > 2 && strings.HasPrefix(rest, "//")
}

// codeSpan parses code at the backtick s[i]. It returns the code and the index
// after it; if there is none, an empty inner and the index after the backticks,
// which are text.
func codeSpan(s string, i int) (inner string, end int, fence bool) {
	if strings.HasPrefix(s[i:], "```") {
		n := strings.Index(s[i+3:], "```")
		if n <= 0 {
			return "", i + 3, false
		}
		return s[i+3 : i+3+n], i + n + 6, true
	}
	n := strings.IndexAny(s[i+1:], "`\n")
	if n < 0 || s[i+1+n] != '`' {
		return "", i + 1, false
	}
	return s[i+1 : i+1+n], i + n + 2, false
}

// entity returns the character that the entity at s[i], which is '&', stands
// for, and its length; 0 when there is none.
func entity(s string, i int) (c byte, length int) {
	switch rest := s[i:]; {
	case strings.HasPrefix(rest, "&amp;"):
		return '&', 5
	case strings.HasPrefix(rest, "&lt;"):
		return '<', 4
	case strings.HasPrefix(rest, "&gt;"):
		return '>', 4
	}
	return 0, 0
}

var entityDecoder = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

// decode replaces entities by their characters, once.
func decode(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return entityDecoder.Replace(s)
}

var entityEncoder = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// inWord reports whether c is part of a word, so that no markup begins after it
// or ends before it.
func inWord(c byte) bool { return isAlnum(c) || c >= 0x80 }
