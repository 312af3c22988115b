package search

import "context"

// MergeEvery is how many written records are merged at a time.
const MergeEvery = mergeEvery

// Step does a step of the background work.
func (x *Index) Step(ctx context.Context) (more bool, err error) { return x.step(ctx) }

// What is asked of the words of a portal on PostgreSQL.
var (
	LongerWords      = longerWords
	CountLongerWords = countLongerWords
)
