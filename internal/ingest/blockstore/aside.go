package blockstore

import "sync"

// aside is the blocks that are left out of all replies because they are damaged.
type aside struct {
	mu     sync.RWMutex
	blocks map[int64]bool
}

func (a *aside) has(seq int64) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.blocks[seq]
}

// add reports whether the block was not known to be damaged.
func (a *aside) add(seq int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.blocks[seq] {
		return false
	}
	if a.blocks == nil {
		a.blocks = map[int64]bool{}
	}
	a.blocks[seq] = true
	return true
}

// setAside leaves a damaged block out from now on, and counts it. The rows stay
// in the database for who wants to look at them.
func (s *Store) setAside(seq int64, err error) {
	if !s.aside.add(seq) {
		return
	}
	s.log.Error("a block of events is damaged and left out", "block", seq, "error", err)
	if s.Damaged != nil {
		s.Damaged()
	}
}
