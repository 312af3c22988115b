// Package searchquery reads the language of message searches: words, phrases,
// exclusions, and modifiers such as in:, from:, has: and before:. It knows no
// messages and no users; names stay as they were written.
package searchquery

import (
	"strconv"

	"understudy/internal/platform/words"
)

// maxWords bounds what is stored of one text, in bytes.
const maxWords = 64 << 10

// Words returns the words of a text as they are indexed: in lower case,
// separated by blanks. A search compares in this form.
func Words(text string) string { return words.Split(text, maxWords) }

// EmojiWord returns the word under which an emoji is indexed. Its name has
// letters, digits and signs; a word has the first two.
func EmojiWord(name string) string {
	b := []byte("emojiq")
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' && c != 'q' || c >= '0' && c <= '9' {
			b = append(b, c)
		} else {
			b = append(b, 'q')
			b = strconv.AppendInt(b, int64(c), 16)
			b = append(b, 'q')
		}
	}
	return string(b)
}
