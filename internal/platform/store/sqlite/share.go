package sqlite

import (
	"hash/maphash"
	"sync/atomic"

	"understudy/internal/platform/memory"
	"understudy/internal/platform/system"
)

// share counts the resources of the connections of all worlds.
type share struct {
	conns atomic.Int64 // open connections
	pages atomic.Int64 // pages by which caches have grown

	mappings    mappings
	definitions definitions

	maxConns, maxPages int64
}

const (
	// pageBytes is the memory of a cached page, with its bookkeeping.
	pageBytes = 8 << 10
	// cacheShare is the divisor of the memory that grown caches may use: an eighth.
	cacheShare = 8
	// filesOfConn is the number of open files of a connection: the database, its
	// log, and the shared-memory index.
	filesOfConn = 3
	// unboundedConns is the bound of connections if the system has no limit of open
	// files.
	unboundedConns = 1 << 20
)

func newShare() *share {
	s := &share{maxPages: memory.Size() / cacheShare / pageBytes, maxConns: unboundedConns}
	s.definitions.seed = maphash.MakeSeed()
	if files, ok := system.OpenFiles(); ok {
		s.maxConns = int64(files) / (2 * filesOfConn) // the other half is for clients
	}
	return s
}

// take reserves n pages for a cache, and reports whether it could.
func (s *share) take(n int64) bool {
	if s.pages.Add(n) <= s.maxPages {
		return true
	}
	s.pages.Add(-n)
	return false
}

// crowded reports whether so many connections are open that a world should use
// only one where possible.
func (s *share) crowded() bool { return s.conns.Load() >= s.maxConns }
