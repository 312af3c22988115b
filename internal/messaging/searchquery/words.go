// Package searchquery reads the language of message searches: words, phrases,
// exclusions, and modifiers such as in:, from:, has: and before:. It knows no
// messages and no users; names stay as they were written.
package searchquery

import (
	"strings"
	"unicode"
)

// maxWords bounds what is kept of one text, in bytes.
const maxWords = 64 << 10

// Words gives the words of a text as they are indexed: runs of letters and
// digits, in lower case, separated by blanks. A search compares in this form.
func Words(text string) string {
	var b strings.Builder
	b.Grow(min(len(text), maxWords))
	gap := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if b.Len() >= maxWords {
			break
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
