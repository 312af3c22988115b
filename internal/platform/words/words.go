// Package words splits texts into words for full-text indexes. It is the same for
// all databases, so that searches return the same results.
package words

import (
	"strings"
	"unicode"
)

// unspaced are the scripts without blanks between words, and Hangul, whose words
// have endings. Each of their letters is a separate word, so that any part of a
// text can be found as a phrase.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

func isUnspaced(r rune) bool { return r >= 0x0E00 && unicode.In(r, unspaced...) }

// Word is a word in a text.
type Word struct {
	Start, End int  // byte offsets
	Letter     bool // a single letter of an unspaced script
}

// Each yields the words of a text in order, until yield returns false. A
// combining mark belongs to the letter before it.
func Each(text string, yield func(Word) bool) {
	open := Word{Start: -1}
	end := func(at int) bool {
		if open.Start < 0 {
			return true
		}
		open.End = at
		done := open
		open = Word{Start: -1}
		return yield(done)
	}
	for i, r := range text {
		mark := unicode.IsMark(r)
		switch {
		case !mark && !unicode.IsLetter(r) && !unicode.IsNumber(r):
			if !end(i) {
				return
			}
		case mark && open.Start >= 0:
		case isUnspaced(r):
			if !end(i) {
				return
			}
			open = Word{Start: i, Letter: true}
		case open.Start < 0 || open.Letter:
			if !end(i) {
				return
			}
			open.Start = i
		}
	}
	end(len(text))
}

// Split returns the words of a text in lower case, separated by blanks: at most
// limit bytes.
func Split(text string, limit int) string {
	var b strings.Builder
	b.Grow(min(len(text), limit))
	Each(text, func(w Word) bool {
		if b.Len() >= limit {
			return false
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for _, r := range text[w.Start:w.End] {
			b.WriteRune(unicode.ToLower(r))
		}
		return true
	})
	return b.String()
}
