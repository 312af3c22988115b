package search

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The words of a value are those by which searches split texts, whatever it consists of.
func TestWordsOfValuesAreThoseOfSearches(t *testing.T) {
	letters := []rune("abzAZ019 -_.@,\x00\x7fäÄßİK中٣\u0301\ufffd")
	rnd := rand.New(rand.NewPCG(1, 7))
	texts := []string{"", " ", "x", "Ada Lovelace", "person1.2@Company3.example.com", "bad\xffbytes"}
	for range 20_000 {
		var text []rune
		many := 2 + rnd.IntN(len(letters)-2) // of half of the texts all letters are ASCII
		for range rnd.IntN(12) {
			text = append(text, letters[rnd.IntN(many)])
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		want := tokens(text)
		var got []string
		eachToken(text, func(word string) bool { got = append(got, word); return true })
		if !slices.Equal(got, want) {
			t.Fatalf("the words of %q are %q, not %q", text, got, want)
		}
		if len(want) > 1 {
			n := 0
			eachToken(text, func(string) bool { n++; return n < len(want)-1 })
			if n != len(want)-1 {
				t.Fatalf("of %q %d words were read, not %d", text, n, len(want)-1)
			}
		}
	}
}
