package blockstore

import (
	"strings"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/store"
)

// maxSessions bounds the session numbers in memory.
const maxSessions = 1 << 16

// sessionNumbers caches the numbers of committed sessions.
type sessionNumbers struct {
	known *cache.Rows[sessionKey, int64]
}

func newSessionNumbers() sessionNumbers {
	return sessionNumbers{cache.NewRows[sessionKey, int64](nil, "", maxSessions)}
}

type sessionKey struct{ project, id string }

// note stores which sessions have events in a block.
func (s sessionNumbers) note(tx *store.Tx, b *batch, block int64) error {
	numbers := map[string]int64{}
	fresh := map[sessionKey]int64{}
	var epoch uint64 // of the first unknown session
	var rows [][]any
	for i := range b.events {
		id := b.events[i].Session
		if _, done := numbers[id]; done {
			continue
		}
		no, ok, now := s.known.Get(sessionKey{b.project, id})
		if !ok {
			if len(fresh) == 0 {
				epoch = now
			}
			var err error
			if no, err = sessionNumber(tx, b.project, id, true); err != nil {
				return err
			}
			fresh[sessionKey{b.project, strings.Clone(id)}] = no
		}
		numbers[id] = no
		rows = append(rows, []any{no, block})
	}
	if len(fresh) > 0 {
		tx.AfterCommit(func() { s.remember(fresh, epoch) })
	}
	return tx.CopyFrom("event_session_block", []string{"session", "block"}, rows)
}

func (s sessionNumbers) remember(fresh map[sessionKey]int64, epoch uint64) {
	for k, no := range fresh {
		k.project = strings.Clone(k.project)
		s.known.Put(k, no, epoch)
	}
}

// forget removes a session's number from the cache, and prevents running appends
// from caching it again.
func (s sessionNumbers) forget(project, id string) { s.known.Drop(sessionKey{project, id}) }
