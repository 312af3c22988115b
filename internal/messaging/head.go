package messaging

import "understudy/internal/platform/store"

// head is the state of a channel that posting reads, for one user. Consecutive
// posts of one transaction read it once.
type head struct {
	kind     Kind
	archived bool
	member   bool
}

// heads caches the heads of the channels that a transaction posts to.
type heads struct {
	last map[channelKey]TS // the last ts of each channel
	of   map[headKey]head
}

type channelKey struct{ workspace, channel string }

type headKey struct {
	channelKey
	user string
}

// headsOf returns the heads of a transaction, without those that a write has
// invalidated.
func headsOf(tx *store.Tx) *heads {
	if h, ok := store.Kept[*heads](tx, headKey{}); ok {
		return h
	}
	return &heads{last: map[channelKey]TS{}, of: map[headKey]head{}}
}

// nextTS returns the state of a channel that posting needs, with a newly
// allocated ts; nil for an unknown channel.
func (h *heads) nextTS(tx *store.Tx, workspace, id, user string, now int64) (*Channel, error) {
	ch := &Channel{Workspace: workspace, ID: id}
	key := headKey{channelKey{workspace, id}, user}
	if known, ok := h.of[key]; ok {
		ch.LastTS, ch.Kind, ch.Archived, ch.CallerIsMember = h.last[key.channelKey], known.kind, known.archived, known.member
	} else if found, err := readHead(tx, ch, user); err != nil || !found {
		return nil, err
	}
	ch.LastTS = max(ch.LastTS+1, TS(now))
	return ch, nil
}

// posted keeps the heads valid after the statements of a post: they write to
// tables that the heads were read from, but change nothing else in the heads.
func (h *heads) posted(tx *store.Tx, ch *Channel, user string) {
	key := headKey{channelKey{ch.Workspace, ch.ID}, user}
	h.last[key.channelKey] = ch.LastTS
	h.of[key] = head{ch.Kind, ch.Archived, ch.CallerIsMember}
	store.Keep(tx, headKey{}, h, "msg_channel", "msg_member")
}
