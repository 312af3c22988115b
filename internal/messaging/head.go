package messaging

import "understudy/internal/platform/store"

// head is what posting needs to know of a channel for one user. The posts of one
// transaction that follow one another read it once.
type head struct {
	kind     Kind
	archived bool
	member   bool
}

// heads are the channels that posts of a transaction have read.
type heads struct {
	last map[channelKey]TS // the last ts
	of   map[headKey]head
}

type channelKey struct{ workspace, channel string }

type headKey struct {
	channelKey
	user string
}

// headsOf returns the heads that still hold.
func headsOf(tx *store.Tx) *heads {
	if h, ok := store.Kept[*heads](tx, headKey{}); ok {
		return h
	}
	return &heads{last: map[channelKey]TS{}, of: map[headKey]head{}}
}

// nextTS returns what posting needs to know of a channel, with the next ts as its
// last one; nil for an unknown channel.
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

// posted keeps the heads after a post of a user. It follows the post's statements,
// which change the tables that the heads were read from, but nothing else of them.
func (h *heads) posted(tx *store.Tx, ch *Channel, user string) {
	key := headKey{channelKey{ch.Workspace, ch.ID}, user}
	h.last[key.channelKey] = ch.LastTS
	h.of[key] = head{ch.Kind, ch.Archived, ch.CallerIsMember}
	store.Keep(tx, headKey{}, h, "msg_channel", "msg_member")
}
