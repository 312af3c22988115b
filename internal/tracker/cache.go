package tracker

import "sync"

// rowCache remembers rows of one kind. A row carries the sync id of the write
// that made it what it is, so a reader asks the database for ids and versions
// alone and finds the rows here; while the organization's sync id stands still,
// not even that is asked again. Only committed rows are put in.
type rowCache[T any] struct {
	mu         sync.RWMutex
	young, old map[rowKey]entry[T]
}

type rowKey struct{ org, id string }

// entry is a row, and the sync id up to which it was seen to be so.
type entry[T any] struct {
	row     *T
	version int64
	checked int64
}

// cacheRows is how many rows of a kind are kept in each of two generations.
const cacheRows = 4096

// heavyText is how long a text may be for its row to be kept.
const heavyText = 8 << 10

// look gives the entries for ids; the row is nil where there is none.
func (c *rowCache[T]) look(org string, ids []string) []entry[T] {
	out := make([]entry[T], len(ids))
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, id := range ids {
		k := rowKey{org, id}
		e, ok := c.young[k]
		if !ok {
			e = c.old[k]
		}
		out[i] = e
	}
	return out
}

// keep puts rows in, which were as they are at a sync id.
func (c *rowCache[T]) keep(org string, rows []*T, base func(*T) *Base, at int64) {
	if len(rows) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range rows {
		if len(c.young) >= cacheRows || c.young == nil {
			// Most environments have few rows: only who filled a generation gets room for one.
			c.old, c.young = c.young, make(map[rowKey]entry[T], len(c.young)/4)
		}
		b := base(t)
		k := rowKey{org, b.ID}
		if e, ok := c.young[k]; ok && (e.version > b.Version || e.version == b.Version && e.checked >= at) {
			continue // a later reader was quicker
		}
		c.young[k] = entry[T]{t, b.Version, at}
	}
}

// caches are those of one Tracker.
type caches struct {
	kinds map[string]any // *rowCache of each kind
	pages pageCache
	syncs syncIDs
	mu    sync.RWMutex
	views map[rowKey]viewer
}

// viewer is what a view knows of its caller while the sync id stands still.
type viewer struct {
	sync   int64
	url    string
	user   *User
	hidden []string
}

// maxViews bounds the callers that are remembered.
const maxViews = 10_000

func newCaches() *caches {
	return &caches{kinds: map[string]any{"Organization": &rowCache[Organization]{}, "User": &rowCache[User]{}, "Team": &rowCache[Team]{},
		"WorkflowState": &rowCache[WorkflowState]{}, "IssueLabel": &rowCache[Label]{}, "Issue": &rowCache[Issue]{}, "Comment": &rowCache[Comment]{},
		"Project": &rowCache[Project]{}, "ProjectStatus": &rowCache[ProjectStatus]{}, "Cycle": &rowCache[Cycle]{}, "Webhook": &rowCache[Webhook]{}},
		views: map[rowKey]viewer{}}
}

func (c *caches) viewer(k rowKey, sync int64) (viewer, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	x, ok := c.views[k]
	return x, ok && x.sync == sync
}

func (c *caches) setViewer(k rowKey, x viewer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.views) >= maxViews {
		clear(c.views)
	}
	c.views[k] = x
}

// cache gives the cache of the kind, or nil in a write, whose rows may yet go back.
func (k *Kind[T]) cache(v *View) *rowCache[T] {
	if v.sync == 0 {
		return nil
	}
	return v.t.caches.kinds[k.Name].(*rowCache[T])
}

// shared gives rows that other requests hold too: to be completed, they are copied.
func (k *Kind[T]) shared(rows []*T) []*T {
	if k.complete == nil {
		return rows
	}
	all := make([]T, len(rows))
	for i, t := range rows {
		all[i] = *t
		rows[i] = &all[i]
	}
	return rows
}

// syncIDs remembers the sync ids that organizations have come to.
type syncIDs struct {
	mu   sync.RWMutex
	last map[string]int64
}

// saw notes a sync id that is committed.
func (s *syncIDs) saw(org string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]int64{}
	}
	s.last[org] = max(s.last[org], n)
}

// of gives an organization's sync id, 0 when it is not known.
func (s *syncIDs) of(org string) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last[org]
}
