package sqlite

import "sync"

const (
	// mappedBytes is the most of a file that is mapped, SQLite's own limit.
	mappedBytes = 2<<30 - 1<<16
	// maxMaps is how many files are mapped. The system can take mapped pages back at
	// any time, but counts them as resident.
	maxMaps = 4
	// readToMap is how many bytes of texts and blobs a connection reads before its
	// file is mapped, if it has run few statements: queries over millions of events
	// read most of a file, and system calls for single pages take a sixth of their
	// time.
	readToMap = 16 << 20
)

// mappings are the files that are mapped, each once for all its connections.
type mappings struct {
	mu  sync.Mutex
	all map[fileID]*mapping
}

// fileID identifies a file as long as it is open.
type fileID struct{ device, inode uint64 }

// mapping is the memory in which a file can be read.
type mapping struct {
	id     fileID
	memory []byte
	users  int // connections
}

// count returns the number of mapped files.
func (m *mappings) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}

// acquire returns the mapping of an open file, nil if it cannot be mapped. The caller
// must call release.
func (m *mappings) acquire(id fileID, fd int) *mapping {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.all[id]
	if one == nil {
		if len(m.all) >= maxMaps {
			return nil
		}
		memory := mapped(fd, mappedBytes)
		if memory == nil {
			return nil
		}
		if one = (&mapping{id: id, memory: memory}); m.all == nil {
			m.all = map[fileID]*mapping{}
		}
		m.all[id] = one
	}
	one.users++
	return one
}

// release ends the use of a mapping by a connection.
func (m *mappings) release(one *mapping) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(m.all, one.id)
		unmapped(one.memory)
	}
}
