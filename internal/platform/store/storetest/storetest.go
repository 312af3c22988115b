// Package storetest provides fresh worlds for tests, on SQLite and on PostgreSQL,
// and Exercise, the conformance suite that every engine passes.
package storetest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/sqlite"
	"understudy/internal/platform/store/storetest/throwaway"
)

// URL is the environment variable with the URL of the PostgreSQL server for
// tests. Without it the test process starts a temporary server.
const URL = "UNDERSTUDY_TEST_POSTGRES"

var (
	once     sync.Once
	server   *throwaway.Server
	url      string
	startErr error
	worlds   atomic.Int64
)

// Main runs a package's tests and stops the temporary server after them:
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if server != nil {
		server.Stop()
	}
	os.Exit(code)
}

// Run runs a test once on each database, each time in a new world. Without
// PostgreSQL it skips that half and logs one line.
func Run(t *testing.T, schemas []store.Schema, test func(t *testing.T, w *store.World)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, SQLite(t, schemas))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Postgres(t, schemas))
	})
}

// SQLite returns a new world in a file.
func SQLite(t testing.TB, schemas []store.Schema) *store.World {
	t.Helper()
	return world(t, "", t.TempDir(), "test", schemas)
}

// Postgres returns a new world in a schema; it skips the test without a server.
func Postgres(t testing.TB, schemas []store.Schema) *store.World {
	t.Helper()
	return world(t, PostgresURL(t), "", newName(), schemas)
}

// PostgresURL returns the server's URL; it skips the test without one.
func PostgresURL(t testing.TB) string {
	t.Helper()
	once.Do(func() {
		if url = os.Getenv(URL); url != "" {
			return
		}
		if server, startErr = throwaway.Start(); startErr == nil {
			url = server.URL
		}
	})
	if errors.Is(startErr, throwaway.ErrNone) {
		t.Skip("skipped on PostgreSQL: " + startErr.Error())
	}
	if startErr != nil {
		t.Fatal(startErr)
	}
	return url
}

// Open opens the PostgreSQL database at url, or the SQLite files in dir if url is
// empty.
func Open(ctx context.Context, url, dir string) (store.Store, error) {
	if url == "" {
		return sqlite.Open(dir)
	}
	return postgres.Open(ctx, url)
}

func world(t testing.TB, url, dir, name string, schemas []store.Schema) *store.World {
	t.Helper()
	ctx := context.Background()
	s, err := Open(ctx, url, dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(ctx, strings.ToLower(name), schemas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Drop(ctx, w.Name); err != nil {
			t.Error(err)
		}
		_ = s.Close()
	})
	return w
}
