package mrkdwn

import (
	"slices"
	"strings"
)

// Plain gives the words of a stored text for search: control sequences become
// their labels, or what they point at, and entities characters. Marks of style
// and names of emoji stay.
func Plain(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '<':
			if ctl, end := controlAt(text, i); end > 0 {
				b.WriteString(ctl.words())
				i = end - 1
				continue
			}
			b.WriteByte(c)
		case '&':
			if decoded, length := entity(text, i); length > 0 {
				b.WriteByte(decoded)
				i += length - 1
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (c control) words() string {
	words := decode(c.value)
	if c.label != "" {
		words = decode(c.label)
	}
	switch c.kind {
	case '@', '#':
		return string(c.kind) + strings.TrimPrefix(words, string(c.kind))
	case '!':
		if c.label == "" {
			return "@" + words
		}
	case 'u':
		return strings.TrimPrefix(words, "mailto:")
	}
	return words
}

// HasLink tells whether a stored text links to a web address.
func HasLink(text string) bool {
	for i := strings.IndexByte(text, '<'); i >= 0; {
		c, end := controlAt(text, i)
		if end > 0 && c.kind == 'u' && strings.Contains(c.value, "://") {
			return true
		}
		next := strings.IndexByte(text[i+1:], '<')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// EmojiNames gives the canonical names of the emoji in a stored text, each
// once, in order, without skin tones. Code has none.
func EmojiNames(text string) []string {
	var names []string
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '`':
			_, end, _ := codeSpan(text, i)
			i = end - 1
		case '<':
			if _, end := controlAt(text, i); end > 0 {
				i = end - 1
			}
		case ':':
			name, length := emojiAt(text, i)
			if length == 0 {
				continue
			}
			i += length - 1
			if name, _, _ = strings.Cut(name, "::"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
