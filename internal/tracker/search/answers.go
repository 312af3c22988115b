package search

import (
	"fmt"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/store"
)

// answersBytes bounds the answers that are cached, in bytes.
const answersBytes = 2 << 20

// answer is the result of a statement of a search at a version of the
// organization.
type answer struct {
	version int64
	matches []Match
	total   int64
}

// answers caches the results of statements, by their text and arguments. At the
// same version of the organization, an index that has caught up returns the same
// results.
type answers struct {
	cache *cache.Bounded[string, answer]
}

func newAnswers() *answers {
	return &answers{cache.NewBounded(answersBytes, func(key string, a answer) int { return 160 + len(key) + 64*len(a.matches) })}
}

// answer returns the result of a statement: the cached one at the same version of
// the organization, or else what find reads. It does not cache results while the
// index is behind.
func (r *Request) answer(tx *store.Tx, sql string, args []any, find func(a *answer) error) (answer, error) {
	key := fmt.Sprintf("%s\x00%s\x00%#v", r.Org, sql, args)
	a, known := r.answers.cache.Get(key)
	if known && a.version == r.Version && r.Version != 0 {
		return a, nil
	}
	a = answer{version: r.Version}
	if err := find(&a); err != nil || r.Version == 0 {
		return a, err
	}
	behind, err := isBehind(tx)
	if err == nil && !behind {
		r.answers.cache.PutUnless(key, a, func(old answer) bool { return old.version > a.version })
	}
	return a, err
}
