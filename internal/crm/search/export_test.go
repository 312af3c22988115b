package search

import "context"

// MergeEvery is how many indexed records are merged at a time, WordsChunk how many
// one transaction indexes.
const (
	MergeEvery = mergeEvery
	WordsChunk = wordsChunk
)

// Step does a step of the background work.
func (x *Index) Step(ctx context.Context) (more bool, err error) { return x.step(ctx) }

// What is asked of the words of a portal on PostgreSQL.
var (
	LongerWords      = longerWords
	CountLongerWords = countLongerWords
)
