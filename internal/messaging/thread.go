package messaging

import (
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// threadBroadcast is the subtype of a reply that is also listed in the channel.
const threadBroadcast = "thread_broadcast"

// rootOf returns the parent of a thread in the form that a broadcast reply
// contains.
func rootOf(tx *store.Tx, ch *Channel, ts TS) ([]byte, error) {
	parent, err := messageAt(tx, ch, ts)
	if err != nil || parent == nil {
		return nil, err
	}
	return parent.appendJSON(nil, render{}), nil
}

// reply adds m to the thread of a parent and counts it there. For the ts of a
// reply it uses that reply's parent. It returns ThreadNotFound.
func (s *Service) reply(tx *store.Tx, ch *Channel, threadTS TS, m *Message, c Caller, broadcast bool) (place, error) {
	parent, err := messageAt(tx, ch, threadTS)
	if err == nil && parent != nil && parent.ThreadTS > 0 {
		parent, err = messageAt(tx, ch, parent.ThreadTS)
	}
	if err != nil {
		return place{}, err
	}
	if parent == nil {
		return place{}, ThreadNotFound
	}
	m.ThreadTS, m.Listed = parent.TS, broadcast
	parent.replyCount++
	parent.latestReply = m.TS
	parent.addReplyUser(replyAuthor(m.User, c))
	if err := updateThread(tx, parent); err != nil {
		return place{}, err
	}
	where := place{threadTS: parent.TS, parentUser: parent.User}
	if broadcast {
		where.root = parent.appendJSON(nil, render{})
		m.Subtype = threadBroadcast
	}
	return where, nil
}

// replyAuthor returns the author of a reply; for a message with a custom author,
// its bot.
func replyAuthor(user string, c Caller) string {
	if user != "" {
		return user
	}
	return c.BotID
}

func (m *Message) addReplyUser(id string) {
	users := m.replyUserList()
	if id == "" || slices.Contains(users, id) {
		return
	}
	m.replyUsers = strings.Join(append(users, id), ",")
}

func (m *Message) replyUserList() []string {
	if m.replyUsers == "" {
		return nil
	}
	return strings.Split(m.replyUsers, ",")
}

// recount computes a parent's counters from its replies. It removes a tombstone
// without replies and returns the removed message.
func (s *Service) recount(tx *store.Tx, ch *Channel, parentTS TS) (removed *Message, err error) {
	parent, err := messageAt(tx, ch, parentTS)
	if err != nil || parent == nil {
		return nil, err
	}
	before := *parent
	parent.replyCount, parent.replyUsers, parent.latestReply = 0, "", 0
	err = eachReplyAuthor(tx, ch, parentTS, func(ts TS, user string) {
		parent.replyCount++
		parent.latestReply = ts
		parent.addReplyUser(user)
	})
	if err != nil {
		return nil, err
	}
	if parent.replyCount == 0 && parent.Subtype == tombstone {
		return &before, deleteMessage(tx, parent)
	}
	return nil, updateThread(tx, parent)
}
