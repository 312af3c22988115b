package search

import (
	"slices"
	"strings"
	"unicode"
)

// tokens splits a text into words: runs of letters and digits, in lower case.
// NUL is left out, as it is of keys.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(text), "\x00", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

const (
	// maxToken bounds an indexed word; longer ones are cut, and searches look at the record again.
	maxToken = 60
	// maxTokens bounds the words of one value that are indexed.
	maxTokens = 2_000
	// maxDocument bounds the indexed words of a record, in bytes: PostgreSQL keeps no more of one.
	maxDocument = 1_000_000
)

func cutToken(t string) string {
	if len(t) <= maxToken {
		return t
	}
	return strings.ToValidUTF8(t[:maxToken], "")
}

// distinctTerms leaves out the terms of a query that others begin with: a
// record with a word that begins with the longer term has one that begins with
// the shorter.
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
