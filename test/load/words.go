package main

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// words is a made-up language: a fixed vocabulary whose words are used about as
// unevenly as those of a real one, the same on every run.
type words struct {
	list  []string
	share []float64 // cumulative
}

func newWords(n int) *words {
	const consonants, vowels = "bcdfgklmnprstvz", "aeiou"
	w := &words{}
	sum := 0.0
	for i := range n {
		word := ""
		for k := i + 1; k > 0 || len(word) < 4; k /= len(consonants) * len(vowels) {
			s := k % (len(consonants) * len(vowels))
			word += string(consonants[s/len(vowels)]) + string(vowels[s%len(vowels)])
		}
		w.list = append(w.list, word)
		sum += 1 / math.Pow(float64(i+10), 0.9)
		w.share = append(w.share, sum)
	}
	return w
}

// pick returns a word, each as often as the language uses it.
func (w *words) pick(r *rand.Rand) string {
	x := r.Float64() * w.share[len(w.share)-1]
	lo, hi := 0, len(w.share)-1
	for lo < hi {
		if mid := (lo + hi) / 2; w.share[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return w.list[lo]
}

// form appends a message of 6 to 14 words, form-encoded.
func (w *words) form(b []byte, r *rand.Rand) []byte {
	for i := range 6 + r.IntN(9) {
		if i > 0 {
			b = append(b, '+')
		}
		b = append(b, w.pick(r)...)
	}
	return b
}

// rare returns a word from the tail of the vocabulary, common one from its head.
func (w *words) rare(r *rand.Rand) string {
	return w.list[len(w.list)/2+r.IntN(len(w.list)/2)]
}

func (w *words) common(r *rand.Rand) string { return w.list[r.IntN(20)] }

// unique returns a word that no message has.
func unique(n int) string { return "zzyx" + strconv.Itoa(n) + "q" }
