package messaging

import (
	"cmp"
	"slices"

	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/store"
)

// The constants of BM25: saturation of repeated terms, and normalization of
// lengths.
const (
	saturation = 1.2
	byLength   = 0.75
)

// ranked is a message with the inputs of its relevance.
type ranked struct {
	id     int64
	counts []float64 // of each term
	length float64   // in words
	score  float64
}

// rank sorts messages by relevance, descending or ascending; among equals the
// newest comes first. It uses BM25 without the weights of rare terms, because
// each message has all terms.
func rank(tx *store.Tx, terms []searchquery.Term, ids []int64, ascending bool) ([]int64, error) {
	all, sum := make([]ranked, 0, len(ids)), 0.0
	err := eachWords(tx, ids, func(id int64, words []string) {
		m := ranked{id: id, length: float64(len(words)), counts: make([]float64, len(terms))}
		for i, t := range terms {
			m.counts[i] = float64(t.Count(words))
		}
		sum += m.length
		all = append(all, m)
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		m := &all[i]
		norm := saturation * (1 - byLength + byLength*m.length*float64(len(all))/sum)
		for _, n := range m.counts {
			m.score += n * (saturation + 1) / (n + norm)
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		byScore := cmp.Compare(b.score, a.score)
		if ascending {
			byScore = -byScore
		}
		return cmp.Or(byScore, cmp.Compare(b.id, a.id))
	})
	out := make([]int64, len(all))
	for i := range all {
		out[i] = all[i].id
	}
	return out, nil
}
