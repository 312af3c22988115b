// Package searchquery parses the query language of message searches: words,
// phrases, exclusions, and modifiers such as in:, from:, has: and before:. It
// does not resolve names.
package searchquery

import (
	"strconv"

	"understudy/internal/platform/words"
)

// maxWords is the most bytes of words that are indexed of one text.
const maxWords = 64 << 10

// Words returns the words of a text in the form of the index: in lower case,
// separated by blanks. Searches compare in this form.
func Words(text string) string { return words.Split(text, maxWords) }

// EmojiWord returns the word under which an emoji is indexed: words have only
// letters and digits, while emoji names also have signs.
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
