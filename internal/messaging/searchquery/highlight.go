package searchquery

import (
	"strings"
	"unicode"
)

// The marks around a highlighted word, of Unicode's private use area.
const (
	markOpen  = "\ue000"
	markClose = "\ue001"
)

// Highlight marks the words of a text that a query looks for.
func Highlight(text string, q *Query) string {
	var b strings.Builder
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
	for len(text) > 0 {
		start := strings.IndexFunc(text, word)
		if start < 0 {
			break
		}
		b.WriteString(text[:start])
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !word(r) })
		if end < 0 {
			end = len(text)
		}
		if q.wants(strings.ToLower(text[:end])) {
			b.WriteString(markOpen + text[:end] + markClose)
		} else {
			b.WriteString(text[:end])
		}
		text = text[end:]
	}
	return b.String() + text
}

func (q *Query) wants(word string) bool {
	for _, t := range q.All {
		for i, w := range t.Words {
			if w == word || t.Prefix && i == len(t.Words)-1 && strings.HasPrefix(word, w) {
				return true
			}
		}
	}
	return false
}
