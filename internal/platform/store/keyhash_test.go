package store_test

import (
	"fmt"
	"testing"

	"understudy/internal/platform/store"
)

// Journals are stored with the numbers of keys, so a later version must number the
// same keys alike.
func TestKeysKeepTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		values []any
		want   int64
	}{
		{nil, -162702791582339457},
		{[]any{"a"}, -7314777136779717593},
		{[]any{"C012", int64(-7), nil, "", 1.5, 0.1, []byte("b")}, 6978599440590402944},
		{[]any{int64(1) << 40, fmt.Sprintf("%300d", 1)}, -8144513709719454645},
	} {
		if got := store.HashKey(c.values...); got != c.want {
			t.Errorf("%v has the number %d, want %d", c.values, got, c.want)
		}
	}
}
