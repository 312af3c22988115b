package search

import (
	"context"

	"understudy/internal/crm/schema"
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

// ExplainProbe calls fn with each line of PostgreSQL's plan for two values of two
// properties.
func ExplainProbe(tx *store.Tx, fn func(line string)) error {
	s := &source{table: "crm_value v", id: "v.record", where: "v.portal = ? AND v.property = ? AND v.value = ?", args: []any{1, 1, "a"}}
	s.probe(tx.Dialect(), 1, &predicate{property: &schema.Property{Number: 2}, keys: []string{"b"}})
	return tx.Each("EXPLAIN "+s.selectIDs(), s.args, func(row store.Row) error {
		var line string
		err := row.Scan(&line)
		fn(line)
		return err
	})
}
