package main

import "testing"

func TestWordsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range newWords(20000).list {
		if seen[w] {
			t.Fatalf("%q comes twice", w)
		}
		seen[w] = true
	}
}
