package search

import (
	"context"

	"understudy/internal/platform/store"
)

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

// StoreChunk stores a chunk without records as the next one.
func StoreChunk(tx *store.Tx, number, size int64) error { return saveChunk(tx, newChunk(number, size)) }
