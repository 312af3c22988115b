package sqlite

import (
	"context"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/pages"
)

func compare(ctx context.Context, a pages.Conn, b store.Conn) (store.Difference, error) {
	if b, ok := b.(pages.Conn); ok {
		return pages.Compare(ctx, a, b)
	}
	return store.Unknown{}, nil
}
