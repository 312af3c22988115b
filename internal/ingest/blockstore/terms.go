package blockstore

import (
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/ingest/words"
)

// terms is what a match asks of texts and metadata: one of the lists of each
// of its parts, all of that list.
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

// in reports whether an event has what is asked for.
func (t terms) in(e *ingest.Event) bool {
	have := appendTerms(nil, e)
	for _, either := range t {
		if !slices.ContainsFunc(either, func(all []uint64) bool {
			return !slices.ContainsFunc(all, func(h uint64) bool { return !slices.Contains(have, h) })
		}) {
			return false
		}
	}
	return true
}

// appendTerms appends what an event can be found by.
func appendTerms(out []uint64, e *ingest.Event) []uint64 {
	out = words.Append(out, e.Name)
	out = words.Append(out, e.Args)
	out = words.Append(out, e.Result)
	return words.AppendPairs(out, e.Metadata)
}
