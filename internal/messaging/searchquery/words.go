// Package searchquery reads the language of message searches: words, phrases,
// exclusions, and modifiers such as in:, from:, has: and before:. It knows no
// messages and no users; names stay as they were written.
package searchquery

import (
	"strconv"
	"strings"
	"unicode"
)

// maxWords bounds what is stored of one text, in bytes.
const maxWords = 64 << 10

// unspaced are the scripts that are written without blanks between words, and
// Hangul, whose words carry endings. Each of their letters is a word of its own,
// so that any part of a text is found as a phrase.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

func isUnspaced(r rune) bool { return r >= 0x0E00 && unicode.In(r, unspaced...) }

// A word is a word of a text: where it stands, and whether it is a letter of an
// unspaced script.
type word struct {
	start, end int
	letter     bool
}

// words yields the words of a text in order. A mark belongs to the letter before it.
func words(text string, yield func(word) bool) {
	open := word{start: -1}
	end := func(at int) bool {
		if open.start < 0 {
			return true
		}
		open.end = at
		done := open
		open = word{start: -1}
		return yield(done)
	}
	for i, r := range text {
		mark := unicode.IsMark(r)
		switch {
		case !mark && !unicode.IsLetter(r) && !unicode.IsNumber(r):
			if !end(i) {
				return
			}
		case mark && open.start >= 0:
		case isUnspaced(r):
			if !end(i) {
				return
			}
			open = word{start: i, letter: true}
		case open.start < 0 || open.letter:
			if !end(i) {
				return
			}
			open.start = i
		}
	}
	end(len(text))
}

// Words returns the words of a text as they are indexed: in lower case,
// separated by blanks. A search compares in this form.
func Words(text string) string {
	var b strings.Builder
	b.Grow(min(len(text), maxWords))
	words(text, func(w word) bool {
		if b.Len() >= maxWords {
			return false
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for _, r := range text[w.start:w.end] {
			b.WriteRune(unicode.ToLower(r))
		}
		return true
	})
	return b.String()
}

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
