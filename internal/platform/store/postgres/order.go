package postgres

import (
	"sync"

	"understudy/internal/platform/store"
)

// commitOrder runs what AfterCommit registered in the order of commits. A
// transaction that had to wait for another sends its COMMIT after that one has;
// which of the two replies arrives first is chance.
type commitOrder struct {
	mu   sync.Mutex
	last chan struct{} // closed when the callbacks of the last have run
}

// join is called before COMMIT is sent. The caller calls end with the outcome:
// end waits for the transactions before, and runs the callbacks after a commit.
func (o *commitOrder) join(tx *store.Tx) (end func(committed bool)) {
	if !tx.HasAfterCommit() {
		return func(bool) {}
	}
	mine := make(chan struct{})
	o.mu.Lock()
	before := o.last
	o.last = mine
	o.mu.Unlock()
	return func(committed bool) {
		defer close(mine)
		if before != nil {
			<-before
		}
		if committed {
			tx.RunAfterCommit()
		}
	}
}
