package ingest

import (
	"context"
	"strings"
	"sync"

	db "understudy/internal/platform/store"
)

// maxOwned bounds the sessions whose users are cached.
const maxOwned = 1 << 19

// owners caches the users of sessions, by project. If only one process uses the
// database, it reads them once and adds those that are committed later. If nodes
// share the database, it reads them for each query.
type owners struct {
	mu       sync.RWMutex
	projects map[string]map[string]string
	size     int
	commits  int // prevents a slow read from overwriting later commits
}

// note caches the user of a committed session; "" for a deleted one. A later session
// with its id may have no user.
func (o *owners) note(project, session, user string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.commits++
	if known := o.projects[project]; known != nil {
		o.size -= len(known)
		if known[session] = user; user == "" {
			delete(known, session)
		}
		o.size += len(known)
	}
	if o.size > maxOwned {
		o.projects, o.size = nil, 0
	}
}

// noteAfter notes the user of a session when its transaction is committed; "" for a
// session that it deletes.
func (o *owners) noteAfter(tx *db.Tx, project, session, user string) {
	project, session, user = strings.Clone(project), strings.Clone(session), strings.Clone(user)
	tx.AfterCommit(func() { o.note(project, session, user) })
}

// owner returns the users of a project's sessions, for one query.
func (in *Ingest) owner(ctx context.Context, project string) (Owner, error) {
	o := &in.owners
	o.mu.RLock()
	known, commits := o.projects[project], o.commits
	o.mu.RUnlock()
	if known != nil {
		return o.of(known), nil
	}
	users, shared := map[string]string{}, false
	err := in.d.Events.Read(ctx, func(tx *db.Tx) error {
		shared = tx.Dialect().Name == "postgres"
		return sessionUsers(tx, project, func(session, user string) { users[session] = user })
	})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if shared || commits != o.commits || len(users) > maxOwned || o.projects[project] != nil {
		return func(session string) string { return users[session] }, nil
	}
	if o.projects == nil {
		o.projects = map[string]map[string]string{}
	}
	o.projects[project] = users
	o.size += len(users)
	return o.of(users), nil
}

// of returns a function that reads a map to which others add.
func (o *owners) of(known map[string]string) Owner {
	return func(session string) string {
		o.mu.RLock()
		defer o.mu.RUnlock()
		return known[session]
	}
}
