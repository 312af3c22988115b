package app

import (
	"context"
	"errors"
	"strings"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/sqlite"
)

// openStore opens the PostgreSQL database that url names ("postgres://…"), or
// the SQLite files in dir when url is empty.
func openStore(ctx context.Context, url, dir string) (store.Store, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		s, err := postgres.Open(ctx, url)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if url != "" {
		return nil, errors.New("the database must be a postgres:// URL, or left out for SQLite files")
	}
	s, err := sqlite.Open(dir)
	if err != nil {
		return nil, err
	}
	return s, nil
}
