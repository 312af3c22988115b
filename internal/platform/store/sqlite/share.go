package sqlite

import (
	"fmt"
	"sync/atomic"

	"understudy/internal/platform/memory"
	"understudy/internal/platform/system"
)

// share counts what the connections of all worlds use together.
type share struct {
	conns atomic.Int64 // that are open
	pages atomic.Int64 // by which their caches have grown
	maps  atomic.Int64 // that map their file

	maxConns, maxPages int64
}

const (
	// pageBytes is how many bytes a page occupies in a cache, with its
	// bookkeeping.
	pageBytes = 8 << 10
	// cacheShare is the part of the memory that grown caches may take: an eighth.
	cacheShare = 8
	// mappedBytes is how much of its file a connection maps, and maxMaps how many
	// connections do. The system can take the pages back at any time, but counts
	// them as resident, for each connection.
	mappedBytes = 96 << 20
	maxMaps     = 2
	// mappedByScans is how much a connection maps that has read readToMap bytes of
	// texts and blobs: questions over millions of events read most of a file, and a
	// call of the system for each page takes a sixth of their time.
	mappedByScans = 256 << 20
	readToMap     = 16 << 20
	// filesOfConn is how many files a connection has open: the database, its log,
	// and its part of what the connections of a world share.
	filesOfConn = 3
	// unboundedConns bounds the connections where the system has no limit of
	// open files to derive a bound from.
	unboundedConns = 1 << 20
)

func newShare() *share {
	s := &share{maxPages: memory.Size() / cacheShare / pageBytes, maxConns: unboundedConns}
	if files, ok := system.OpenFiles(); ok {
		s.maxConns = int64(files) / (2 * filesOfConn) // the other half is for clients
	}
	return s
}

// take reports whether a cache may grow by n pages, and counts them.
func (s *share) take(n int64) bool {
	if s.pages.Add(n) <= s.maxPages {
		return true
	}
	s.pages.Add(-n)
	return false
}

// takeMap reports whether one more connection may map its file, and counts it.
func (s *share) takeMap() bool {
	if s.maps.Add(1) <= maxMaps {
		return true
	}
	s.maps.Add(-1)
	return false
}

// mapFile maps as many bytes of the file of a connection, unless enough connections of all worlds map
// theirs already, or the world is in memory.
func mapFile(c *conn, bytes int) error {
	if c.file != nil || c.mapped >= bytes || c.mapped == 0 && !c.share.takeMap() {
		return nil
	}
	c.mapped = bytes
	return c.runAnew(fmt.Sprintf("PRAGMA mmap_size = %d", bytes))
}

// crowded reports whether so many connections are open that a world should do
// with one wherever nobody else uses it.
func (s *share) crowded() bool { return s.conns.Load() >= s.maxConns }
