package blockstore

import (
	"log/slog"
	"sync"
)

// quarantine is the set of damaged blocks, which are left out of all replies.
// Their rows stay in the database, where an operator can examine them.
type quarantine struct {
	log     *slog.Logger
	damaged *func() // called once for each block; nil for nothing

	mu     sync.RWMutex
	blocks map[int64]bool
}

func (a *quarantine) has(seq int64) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.blocks[seq]
}

// add adds a block, and counts it.
func (a *quarantine) add(seq int64, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.blocks[seq] {
		return
	}
	if a.blocks == nil {
		a.blocks = map[int64]bool{}
	}
	a.blocks[seq] = true
	a.log.Error("a damaged block of events is left out of replies", "block", seq, "error", why)
	if *a.damaged != nil {
		(*a.damaged)()
	}
}
