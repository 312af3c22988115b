package blockstore

import (
	"log/slog"
	"sync"
)

// aside is the blocks that are left out of all replies because they are
// damaged. Their rows stay in the database for who wants to look at them.
type aside struct {
	log     *slog.Logger
	damaged *func() // called once for each; nil for nothing

	mu     sync.RWMutex
	blocks map[int64]bool
}

func (a *aside) has(seq int64) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.blocks[seq]
}

// add leaves a block out from now on, and counts it.
func (a *aside) add(seq int64, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.blocks[seq] {
		return
	}
	if a.blocks == nil {
		a.blocks = map[int64]bool{}
	}
	a.blocks[seq] = true
	a.log.Error("a block of events is damaged and left out", "block", seq, "error", why)
	if *a.damaged != nil {
		(*a.damaged)()
	}
}
