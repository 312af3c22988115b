// Package databases starts PostgreSQL for loads that measure it beside SQLite, and
// reads how long the logs of databases are.
package databases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/platform/store/storetest/throwaway"
)

// settings are those of the server; all others are as PostgreSQL has them, so that commits are durable.
var settings = []string{"shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min"}

// Settings returns how the server is set, for the text of a page.
func Settings() string { return "`" + strings.Join(settings, "`, `") + "`, else as installed" }

// Start starts a server with its files in a new folder below dir. It returns nil
// where none is installed, after a line on standard error that says so.
func Start(dir string) (*throwaway.Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { // PostgreSQL's account has to get in
		return nil, err
	}
	s, err := throwaway.StartIn(dir, settings...)
	if errors.Is(err, throwaway.ErrNone) {
		fmt.Fprintln(os.Stderr, "PostgreSQL is not measured:", err)
		return nil, nil
	}
	return s, err
}

// Flags returns the flags of `understudy serve` for a database of a server, which
// it creates; none for nil, which stands for SQLite.
func Flags(s *throwaway.Server, name string) ([]string, error) {
	if s == nil {
		return nil, nil
	}
	url, err := s.Database(name)
	return []string{"--database", url}, err
}
