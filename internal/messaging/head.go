package messaging

import "understudy/internal/platform/store"

// heads caches the state of channels that posting reads, for each user who posts.
type heads struct {
	last map[channelKey]TS // the last ts of each channel
	of   map[headKey]*Channel
}

// maxHeads is the number of heads above which all are dropped.
const maxHeads = 256

type channelKey struct{ workspace, channel string }

type headKey struct {
	channelKey
	user string
}

// headsOf returns the heads that no write has invalidated.
func headsOf(tx *store.Tx) *heads {
	if h, ok := store.Kept[*heads](tx, headKey{}); ok && len(h.of) < maxHeads {
		return h
	}
	return &heads{last: map[channelKey]TS{}, of: map[headKey]*Channel{}}
}

// nextTS returns the state of a channel that posting needs, with a newly
// allocated ts; nil for an unknown channel. The channel is valid until the next
// call.
func (h *heads) nextTS(tx *store.Tx, workspace, id, user string, now int64) (*Channel, error) {
	key := headKey{channelKey{workspace, id}, user}
	ch := h.of[key]
	if ch != nil {
		ch.LastTS = h.last[key.channelKey]
	} else {
		ch = &Channel{Workspace: workspace, ID: id}
		if found, err := readHead(tx, ch, user); err != nil || !found {
			return nil, err
		}
	}
	ch.LastTS = max(ch.LastTS+1, TS(now))
	return ch, nil
}

// posted keeps the heads valid after the statements of a post: they write to
// tables that the heads were read from, but change nothing else in the heads.
func (h *heads) posted(tx *store.Tx, ch *Channel, user string) {
	key := headKey{channelKey{ch.Workspace, ch.ID}, user}
	h.last[key.channelKey] = ch.LastTS
	h.of[key] = ch
	store.KeepLong(tx, headKey{}, h, "msg_channel", "msg_member")
}
