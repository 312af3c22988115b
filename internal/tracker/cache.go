package tracker

import (
	"sync"

	"understudy/internal/platform/cache"
	"understudy/internal/tracker/entity"
)

// caches are the caches of one Tracker.
type caches struct {
	entities *entity.Caches
	syncs    syncIDs
	views    *cache.Bounded[caller, viewer]
}

// caller is a user of an organization.
type caller struct{ org, user string }

// viewer is the part of a view that depends only on its caller and the sync id.
type viewer struct {
	sync   int64
	url    string
	user   *User
	hidden []string
}

// viewBytes bounds the callers that are cached, in bytes: some ten thousand.
const viewBytes = 4 << 20

func newCaches() *caches {
	return &caches{entities: entity.NewCaches(Organizations, Users, Teams, States, Labels, Issues, Comments, Projects, ProjectStatuses,
		Cycles, Webhooks, Invites), views: cache.NewBounded(viewBytes, func(k caller, x viewer) int {
		n := 200 + len(k.org) + len(k.user) + len(x.url)
		for _, id := range x.hidden {
			n += 16 + len(id)
		}
		return n
	})}
}

func (c *caches) viewer(k caller, sync int64) (viewer, bool) {
	x, ok := c.views.Get(k)
	return x, ok && x.sync == sync
}

func (c *caches) setViewer(k caller, x viewer) {
	c.views.PutUnless(k, x, func(old viewer) bool { return old.sync > x.sync })
}

// syncIDs caches the sync ids of organizations.
type syncIDs struct {
	mu   sync.RWMutex
	last map[string]int64
}

// seen stores a committed sync id.
func (s *syncIDs) seen(org string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]int64{}
	}
	s.last[org] = max(s.last[org], n)
}

// of returns an organization's sync id, 0 when it is not known.
func (s *syncIDs) of(org string) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last[org]
}

// heavyText is the length of a text, in bytes, up to which its row is cached.
const heavyText = 8 << 10
