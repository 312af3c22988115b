package group

import "time"

// returns predicts when the callers of the last batch come back with their next
// writes. Callers that write one thing after another otherwise come in two halves,
// each of which waits for the commit of the other. It needs the queue's lock.
type returns struct {
	away     int           // callers of the last batch that have not come back
	answered time.Time     // the end of the last batch
	closed   time.Time     // when the running batch was closed; zero if it is not, or had no room
	within   time.Duration // mean time in which all callers of a batch come back, at most two commits
	commit   time.Duration // mean time from closing a batch to its end
}

// join records that a caller has come.
func (r *returns) join(now time.Time) {
	if r.away == 0 {
		return
	}
	if r.away--; r.away == 0 {
		r.learn(now.Sub(r.answered))
	}
}

// learn adds to the mean time in which callers come back.
func (r *returns) learn(took time.Duration) {
	r.within += (min(took, 2*r.commit) - r.within) / 8
}

// patience returns how long a batch should wait for callers who are away: as long
// as a commit takes if they are expected sooner, otherwise 0.
func (r *returns) patience(now time.Time) time.Duration {
	left := r.within - now.Sub(r.answered)
	if r.away == 0 || left <= 0 || left >= r.commit {
		return 0
	}
	return r.commit
}

// end records that the callers of a batch are answered.
func (r *returns) end(callers int, now time.Time) {
	if r.away > 0 { // not all of the batch before came back during this one
		r.learn(2 * r.commit)
	}
	if !r.closed.IsZero() {
		r.commit += (now.Sub(r.closed) - r.commit) / 8
	}
	r.away, r.answered, r.closed = callers, now, time.Time{}
}
