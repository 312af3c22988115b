//go:build !linux

package sqlite

import "fmt"

// mappedByEach is how much of its file a connection maps where each maps its own.
const mappedByEach = 96 << 20

// mapFile makes SQLite map the file of a connection, unless it is in memory or maxMaps is
// reached. Only Linux is known to show in a mapping what is appended to the file
// later, so here each connection has a mapping of its own, and counts as a file.
func mapFile(c *conn) error {
	if c.file != nil || c.mapping != nil {
		return nil
	}
	if c.mapping = c.share.mappings.acquire(fileID{inode: uint64(c.db.Handle())}, 0); c.mapping == nil {
		return nil
	}
	return c.runAnew(fmt.Sprintf("PRAGMA mmap_size = %d", mappedByEach))
}

// unmapFile notes that a connection is about to be closed, which ends its mapping.
func unmapFile(c *conn, _ bool) {
	if c.mapping != nil {
		c.share.mappings.release(c.mapping)
		c.mapping = nil
	}
}

func mapped(int, int) []byte { return []byte{} }

func unmapped([]byte) {}
