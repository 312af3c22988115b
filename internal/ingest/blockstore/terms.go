package blockstore

import (
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/ingest/words"
)

// terms are the terms of a match in texts and metadata. Each part of the match is
// a list of alternatives; an event must have all terms of one alternative of each
// part.
type terms [][][]uint64

func termsOf(m *ingest.Match) (t terms) {
	if len(m.Texts) > 0 {
		var either [][]uint64
		for _, text := range m.Texts {
			either = append(either, words.Of(text))
		}
		t = append(t, either)
	}
	for _, named := range m.Metadata {
		var either [][]uint64
		for _, value := range named.Values {
			either = append(either, []uint64{words.Pair(named.Name, value)})
		}
		t = append(t, either)
	}
	return t
}

// all returns the terms, each once.
func (t terms) all() (out []uint64) {
	for _, either := range t {
		for _, all := range either {
			for _, h := range all {
				if term := termOf(h); !slices.Contains(out, term) {
					out = append(out, term)
				}
			}
		}
	}
	return out
}

// rows returns the rows of a run that match; of returns the rows with a term.
func (t terms) rows(of func(term uint64) bitset) (out bitset) {
	for i, either := range t {
		var any bitset
		for _, all := range either {
			set := of(termOf(all[0]))
			for _, h := range all[1:] {
				set = set.and(of(termOf(h)))
			}
			any = any.or(set)
		}
		if i == 0 {
			out = any
		} else {
			out = out.and(any)
		}
	}
	return out
}

// appendTerms appends the terms of an event except those of its metadata.
func appendTerms(out []uint64, e *ingest.Event) []uint64 {
	out = words.Append(out, e.Name)
	out = words.Append(out, e.Args)
	out = words.Append(out, e.Result)
	return words.Append(out, e.Reported())
}
