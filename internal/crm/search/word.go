package search

import (
	"slices"
	"strings"
	"unicode"
)

// tokens splits a text into words: runs of letters and digits, in lower case. It
// removes NUL, as keys do.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(text), "\x00", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

const (
	// maxToken is the longest indexed word; longer ones are cut, and searches then
	// test the record.
	maxToken = 60
	// maxTokens is the most indexed words of one value.
	maxTokens = 2_000
	// maxDocument is the most bytes of indexed words of a record: PostgreSQL cannot
	// store more.
	maxDocument = 1_000_000
)

func cutToken(t string) string {
	if len(t) <= maxToken {
		return t
	}
	return strings.ToValidUTF8(t[:maxToken], "")
}

// distinctTerms removes the terms of a query that are a prefix of another: a
// record with a word that begins with the longer term also matches the shorter.
func distinctTerms(terms []string) []string {
	slices.Sort(terms)
	out := terms[:0]
	for i, t := range terms {
		if i == len(terms)-1 || !strings.HasPrefix(terms[i+1], t) {
			out = append(out, t)
		}
	}
	return out
}
