package searchquery

import (
	"strings"

	"understudy/internal/platform/words"
)

// The marks around a highlighted word, of Unicode's private use area.
const (
	markOpen  = "\ue000"
	markClose = "\ue001"
)

// Highlight marks the words of a text that match a query. A term in a script
// without blanks is marked only as a whole.
func Highlight(text string, q *Query) string {
	var found []words.Word
	words.Each(text, func(w words.Word) bool {
		found = append(found, w)
		return true
	})
	marked := make([]bool, len(found))
	at := func(i int) string { return strings.ToLower(text[found[i].Start:found[i].End]) }
	for _, t := range q.All {
		for i := range found {
			if n := t.matches(i, len(found), at); n > 0 && (n == len(t.Words) || !found[i].Letter) {
				for j := i; j < i+n; j++ {
					marked[j] = true
				}
			}
		}
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(found); i++ {
		if !marked[i] {
			continue
		}
		start := found[i].Start
		for found[i].Letter && i+1 < len(found) && marked[i+1] && found[i+1].Letter && found[i+1].Start == found[i].End {
			i++
		}
		b.WriteString(text[from:start] + markOpen + text[start:found[i].End] + markClose)
		from = found[i].End
	}
	return b.String() + text[from:]
}

// matches returns how many words, from the i-th of n on, a term marks: all words
// of the term if they match, else 1 if the i-th is one of its words, else 0.
func (t Term) matches(i, n int, at func(int) string) int {
	whole := i+len(t.Words) <= n
	for j := 0; whole && j < len(t.Words); j++ {
		whole = t.is(j, at(i+j))
	}
	if whole {
		return len(t.Words)
	}
	for j := range t.Words {
		if t.is(j, at(i)) {
			return 1
		}
	}
	return 0
}

// is reports whether a word of a text matches the j-th word of a term.
func (t Term) is(j int, word string) bool {
	return t.Words[j] == word || t.Prefix && j == len(t.Words)-1 && strings.HasPrefix(word, t.Words[j])
}
