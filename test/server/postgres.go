package server

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/platform/store/storetest/throwaway"
)

var (
	postgres  = sync.OnceValues(throwaway.Start)
	started   atomic.Bool
	databases atomic.Int64
)

// Postgres returns the URL of an empty database, on a server that it starts for
// this process. It skips the test on a machine that has none installed. The
// package's tests must run through Main.
func Postgres(t testing.TB) string {
	t.Helper()
	started.Store(true)
	s, err := postgres()
	if errors.Is(err, throwaway.ErrNone) {
		t.Skip("skipped on PostgreSQL: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	url, err := s.Database(fmt.Sprintf("test_%d", databases.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// OwnPostgres starts a PostgreSQL server that the test has to itself, so that it can be paused.
func OwnPostgres(t testing.TB) *throwaway.Server {
	t.Helper()
	s, err := throwaway.Start()
	if errors.Is(err, throwaway.ErrNone) {
		t.Skip("skipped on PostgreSQL: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Main runs a package's tests and ends the server that Postgres started.
func Main(m *testing.M) {
	code := m.Run()
	if started.Load() {
		if s, err := postgres(); err == nil {
			s.Stop()
		}
	}
	os.Exit(code)
}
