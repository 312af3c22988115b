package sqlite

import (
	"fmt"
	"sync/atomic"

	"understudy/internal/platform/memory"
	"understudy/internal/platform/system"
)

// share counts the resources of the connections of all worlds.
type share struct {
	conns atomic.Int64 // open connections
	pages atomic.Int64 // pages by which caches have grown
	maps  atomic.Int64 // connections that map their file

	maxConns, maxPages int64
}

const (
	// pageBytes is the memory of a cached page, with its bookkeeping.
	pageBytes = 8 << 10
	// cacheShare is the divisor of the memory that grown caches may use: an eighth.
	cacheShare = 8
	// mappedBytes is how much of its file a connection maps, and maxMaps how many
	// connections may. The system can reclaim the pages at any time, but counts them
	// as resident for each connection.
	mappedBytes = 96 << 20
	maxMaps     = 2
	// mappedByScans is how much a connection maps after it has read readToMap bytes
	// of texts and blobs: queries over millions of events read most of a file, and
	// system calls for single pages take a sixth of their time.
	mappedByScans = 256 << 20
	readToMap     = 16 << 20
	// filesOfConn is the number of open files of a connection: the database, its
	// log, and the shared-memory index.
	filesOfConn = 3
	// unboundedConns is the bound of connections if the system has no limit of open
	// files.
	unboundedConns = 1 << 20
)

func newShare() *share {
	s := &share{maxPages: memory.Size() / cacheShare / pageBytes, maxConns: unboundedConns}
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

// takeMap reserves a mapping for a connection, and reports whether it could.
func (s *share) takeMap() bool {
	if s.maps.Add(1) <= maxMaps {
		return true
	}
	s.maps.Add(-1)
	return false
}

// mapFile maps bytes of the file of a connection, unless it is in memory or
// maxMaps is reached.
func mapFile(c *conn, bytes int) error {
	if c.file != nil || c.mapped >= bytes || c.mapped == 0 && !c.share.takeMap() {
		return nil
	}
	c.mapped = bytes
	return c.runAnew(fmt.Sprintf("PRAGMA mmap_size = %d", bytes))
}

// crowded reports whether so many connections are open that a world should use
// only one where possible.
func (s *share) crowded() bool { return s.conns.Load() >= s.maxConns }
