package mrkdwn

import (
	"strings"
)

// Plain returns the words of a stored text for search: control sequences become
// their labels or targets, and entities characters. Style marks and emoji names
// remain.
func Plain(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '<':
			if ctl, end := ControlAt(text, i); end > 0 {
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

func (c Control) words() string {
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
