package sqlite

import (
	"context"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/pages"
)

// compare compares the pages of two worlds as seen by two connections.
func compare(ctx context.Context, a, b store.Conn) (store.Difference, error) {
	x, err := pagedOf(a)
	if err != nil || x == nil {
		return store.Unknown{}, err
	}
	y, err := pagedOf(b)
	if err != nil || y == nil {
		return store.Unknown{}, err
	}
	return pages.Compare(ctx, x, y)
}

// paged reads pages through a connection. It implements pages.Conn.
type paged struct{ *conn }

// pagedOf returns the connection of this engine behind c, nil for another one.
func pagedOf(c store.Conn) (*paged, error) {
	switch c := c.(type) {
	case *conn:
		return &paged{c}, nil
	case *deferredRead:
		if err := c.begin(); err != nil {
			return nil, err
		}
		return &paged{c.c}, nil
	}
	return nil, nil
}

// Content implements pages.Conn for databases in memory and small files. It
// returns nil if the connection has uncommitted changes, which the content lacks.
func (p *paged) Content() (pages.Content, error) {
	if p.db.Writes() {
		return nil, nil
	}
	if p.file != nil {
		return p.file.Database(), nil
	}
	var size int64
	_, err := store.NewTx(p.conn, store.SQLite).Get("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", nil, &size)
	if err != nil || size > maxWhole {
		return nil, err
	}
	content, err := p.raw.(serializer).Serialize()
	if err != nil {
		return nil, err
	}
	return pages.Bytes(content), nil
}
