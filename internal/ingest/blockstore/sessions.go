package blockstore

import (
	"strings"
	"sync"

	"understudy/internal/platform/store"
)

// maxSessions bounds the session numbers in memory.
const maxSessions = 1 << 16

// sessionNumbers caches the numbers of committed sessions.
type sessionNumbers struct {
	mu    sync.Mutex
	known map[sessionKey]int64
}

type sessionKey struct{ project, id string }

// note stores which sessions have events in a block.
func (s *sessionNumbers) note(tx *store.Tx, b *batch, block int64) error {
	numbers := map[string]int64{}
	fresh := map[sessionKey]int64{}
	var rows [][]any
	for i := range b.events {
		id := b.events[i].Session
		if _, done := numbers[id]; done {
			continue
		}
		s.mu.Lock()
		no, ok := s.known[sessionKey{b.project, id}]
		s.mu.Unlock()
		if !ok {
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
		tx.AfterCommit(func() { s.remember(fresh) })
	}
	return tx.CopyFrom("event_session_block", []string{"session", "block"}, rows)
}

func (s *sessionNumbers) remember(fresh map[sessionKey]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known)+len(fresh) > maxSessions {
		clear(s.known)
	}
	for k, no := range fresh {
		k.project = strings.Clone(k.project)
		s.known[k] = no
	}
}

func (s *sessionNumbers) forget(project, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, sessionKey{project, id})
}
