package blockstore

import (
	"cmp"
	"slices"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/store"
)

const (
	// maxSessions bounds the session numbers in memory.
	maxSessions = 1 << 16
	// linkEvents is the number of events after which their blocks are linked to their
	// sessions. An append of few events would change a page for the links of each session;
	// the links of many blocks, in the order of the sessions, share these pages.
	linkEvents = 1024
	// unknownSession is linked to the blocks of a project whose sessions could not be read.
	// No session has this id.
	unknownSession = ""
)

// sessionNumbers caches the numbers of committed sessions.
type sessionNumbers struct {
	known *cache.Rows[sessionKey, int64]
}

func newSessionNumbers() sessionNumbers {
	return sessionNumbers{cache.NewRows[sessionKey, int64](nil, "", maxSessions)}
}

type sessionKey struct{ project, id string }

// link links all blocks to their sessions, and stores the counter, which the caller has
// locked.
func (s sessionNumbers) link(tx *store.Tx, c counter) error {
	l := linking{sessions: map[sessionKey]*linkedSession{}}
	if err := eachUnlinked(tx, c.linked, l.add); err != nil {
		return err
	}
	if err := l.save(tx, s); err != nil {
		return err
	}
	c.linked = c.next
	return setCounter(tx, c)
}

// linking collects the blocks of sessions.
type linking struct {
	sessions map[sessionKey]*linkedSession
	order    []*linkedSession // in which they came
	space    ingest.Columns
}

type linkedSession struct {
	sessionKey
	no     int64
	blocks []int64
}

// add adds a block to those of its sessions.
func (l *linking) add(block int64, project string, columns []byte) {
	ids := []string{unknownSession}
	if decodeColumns(columns, &l.space, sessionColumn) == nil {
		ids = l.space.Session.Values
	}
	for _, id := range ids {
		k := sessionKey{project, id}
		of := l.sessions[k]
		if of == nil {
			k.id = strings.Clone(id) // columns are valid only during the call
			of = &linkedSession{sessionKey: k}
			l.sessions[k], l.order = of, append(l.order, of)
		}
		of.blocks = append(of.blocks, block)
	}
}

// save stores the links in the order of the sessions' numbers, which it caches after the
// commit.
func (l *linking) save(tx *store.Tx, s sessionNumbers) error {
	var fresh []*linkedSession
	var epoch uint64 // of the first session that is not cached
	for _, of := range l.order {
		no, ok, now := s.known.Get(of.sessionKey)
		if !ok {
			if len(fresh) == 0 {
				epoch = now
			}
			var err error
			if no, err = sessionNumber(tx, of.project, of.id, true); err != nil {
				return err
			}
			fresh = append(fresh, of)
		}
		of.no = no
	}
	if len(fresh) > 0 {
		tx.AfterCommit(func() {
			for _, of := range fresh {
				s.known.Put(of.sessionKey, of.no, epoch)
			}
		})
	}
	slices.SortFunc(l.order, func(a, b *linkedSession) int { return cmp.Compare(a.no, b.no) })
	var rows [][]any
	for _, of := range l.order {
		for _, block := range of.blocks {
			rows = append(rows, []any{of.no, block})
		}
	}
	return tx.CopyFrom("event_session_block", []string{"session", "block"}, rows)
}

// unlinkedOf returns the numbers of the blocks of a project that are not linked and
// contain events of sessions. Blocks that cannot be read are among them.
func unlinkedOf(tx *store.Tx, project string, sessions []string) ([]int64, error) {
	wanted := make(map[string]bool, len(sessions))
	for _, id := range sessions {
		wanted[id] = true
	}
	blocks := []int64{}
	var space ingest.Columns
	err := eachUnlinkedOf(tx, project, func(block int64, columns []byte) {
		if decodeColumns(columns, &space, sessionColumn) != nil || slices.ContainsFunc(space.Session.Values, func(id string) bool { return wanted[id] }) {
			blocks = append(blocks, block)
		}
	})
	return blocks, err
}

// forget removes a session's number from the cache, and prevents running appends
// from caching it again.
func (s sessionNumbers) forget(project, id string) { s.known.Drop(sessionKey{project, id}) }
