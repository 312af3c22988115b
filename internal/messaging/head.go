package messaging

import "understudy/internal/platform/store"

// heads are the channels that the posts of one transaction have read. They hold
// while nothing else has changed rows there: posts in a row then read a channel once.
type heads struct {
	after    int // Tx.Changes when the last post ended
	channels map[headKey]head
}

type headKey struct{ workspace, channel string }

// head is what posting needs to know of a channel.
type head struct {
	lastTS   TS
	kind     Kind
	archived bool
	members  map[string]bool // of those who posted: whether they are in
}

// headsOf returns the heads that still hold.
func headsOf(tx *store.Tx) *heads {
	if h, ok := tx.Kept(headKey{}).(*heads); ok && h.after == tx.Changes() {
		return h
	}
	return &heads{channels: map[headKey]head{}}
}

// nextTS returns what posting needs to know of a channel, with the next ts as its
// last one; nil for an unknown channel.
func (h *heads) nextTS(tx *store.Tx, workspace, id, user string, now int64) (*Channel, error) {
	ch := &Channel{Workspace: workspace, ID: id}
	known := h.channels[headKey{workspace, id}]
	member, ok := known.members[user]
	if ok {
		ch.LastTS, ch.Kind, ch.Archived, ch.CallerIsMember = known.lastTS, known.kind, known.archived, member
	} else if found, err := readHead(tx, ch, user); err != nil || !found {
		return nil, err
	}
	ch.LastTS = max(ch.LastTS+1, TS(now))
	return ch, nil
}

// posted keeps the head of a channel after a post of a user, the last thing that
// the post does.
func (h *heads) posted(tx *store.Tx, ch *Channel, user string) {
	key := headKey{ch.Workspace, ch.ID}
	members := h.channels[key].members
	if members == nil {
		members = map[string]bool{}
	}
	members[user] = ch.CallerIsMember
	h.channels[key] = head{lastTS: ch.LastTS, kind: ch.Kind, archived: ch.Archived, members: members}
	h.after = tx.Changes()
	tx.Keep(headKey{}, h)
}
