package messaging

import (
	"context"
	"slices"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// History are the parameters of Service.History. A bound of zero is open.
type History struct {
	Channel   string
	Oldest    TS
	Latest    TS
	Inclusive bool
	Before    TS // from a cursor: only older messages
	Limit     int
	Metadata  bool
}

// Page is a page of messages.
type Page struct {
	Messages []byte // JSON, separated by commas
	More     bool
	Next     TS // the place of the next page, if More
}

// historyRange is a range of timestamps, both ends included.
type historyRange struct {
	oldest, latest TS
	limit          int
}

func rangeOf(oldest, latest TS, inclusive bool, limit int) historyRange {
	r := historyRange{oldest: oldest, latest: maxTS, limit: limit}
	if latest > 0 {
		r.latest = latest
	}
	if !inclusive {
		if oldest > 0 {
			r.oldest++
		}
		if latest > 0 {
			r.latest--
		}
	}
	return r
}

// readable returns an error for a bot that is not a member; a person may read any
// public channel.
func readable(c Caller, ch *Channel) error {
	if !ch.CallerIsMember && (c.IsBot() || ch.Kind != Public) {
		return NotInChannel
	}
	return nil
}

// History returns a page of a channel, newest first, without replies that are
// only in threads. It appends the messages to b, which may be nil. It returns
// ChannelNotFound or NotInChannel.
func (s *Service) History(ctx context.Context, c Caller, in History, b []byte) (p Page, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ch, err := s.peek(tx, c, in.Channel)
		if err != nil {
			return err
		}
		key := pageKey{workspace: c.Workspace, viewer: c.ID, version: ch.Version, in: in}
		if found, ok := s.pages.get(key); ok {
			p = found
			p.Messages = append(b, found.Messages...)
			return nil
		}
		r := rangeOf(in.Oldest, in.Latest, in.Inclusive, in.Limit+1)
		if in.Before > 0 {
			r.latest = min(r.latest, in.Before)
		}
		p, err = readPage(tx, ch, r, in.Limit, render{metadata: in.Metadata, viewer: c.ID}, b)
		if err != nil {
			return err
		}
		own := p
		own.Messages = p.Messages[len(b):]
		s.pages.put(key, own)
		return budget.Work(ctx, int64(len(own.Messages)))
	})
	return p, err
}

// peek checks that the caller may read a channel. It reads only the columns that
// the check and the page need, since all columns would take longer than the
// check.
func (s *Service) peek(tx *store.Tx, c Caller, id string) (*Channel, error) {
	ch, err := peekChannel(tx, c.Workspace, id, c.ID)
	if err != nil {
		return nil, err
	}
	if ch == nil || ch.Kind != Public && !ch.CallerIsMember {
		return nil, ChannelNotFound
	}
	if err := c.allow(ch.Kind); err != nil {
		return nil, err
	}
	return ch, readable(c, ch)
}

// Replies are the parameters of Service.Replies.
type Replies struct {
	Channel   string
	TS        TS // the parent or any message of the thread
	Oldest    TS
	Latest    TS
	Inclusive bool
	After     TS // from a cursor: only replies from this ts on
	Limit     int
	Metadata  bool
}

// Replies returns a page of a thread, oldest first. Every page begins with the
// parent, except that with a limit of one message only the first page holds it.
// It returns ChannelNotFound, NotInChannel or ThreadNotFound.
func (s *Service) Replies(ctx context.Context, c Caller, in Replies) (p Page, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ch, err := s.peek(tx, c, in.Channel)
		if err != nil {
			return err
		}
		parent, err := messageAt(tx, ch, in.TS)
		if err == nil && parent != nil && parent.ThreadTS > 0 {
			parent, err = messageAt(tx, ch, parent.ThreadTS)
		}
		if err != nil {
			return err
		}
		if parent == nil {
			return ThreadNotFound
		}
		how := render{metadata: in.Metadata, viewer: c.ID}
		shown, room := []*Message{parent}, in.Limit-1
		if in.After > 0 && in.Limit == 1 {
			shown, room = nil, 1
		}
		r := rangeOf(in.Oldest, in.Latest, in.Inclusive, room+1)
		r.oldest = max(r.oldest, in.After)
		replies, full, err := queryReplies(tx, ch, parent.TS, r)
		if err != nil {
			return err
		}
		p = Page{}
		if last := len(replies) - 1; full {
			p.More, p.Next = true, replies[last].TS
			replies = replies[:last]
		}
		for i, m := range append(shown, replies...) {
			if i > 0 {
				p.Messages = append(p.Messages, ',')
			}
			if how.read = nil; m == parent && parent.replyCount > 0 {
				if how.read, err = readThread(tx, ch, parent, c.ID); err != nil {
					return err
				}
			}
			p.Messages = m.appendJSON(p.Messages, how)
		}
		return budget.Work(ctx, int64(len(p.Messages)))
	})
	return p, err
}

// readThread returns how far a user has read a thread: to the mark in its
// conversation, or to the user's own latest reply. It returns nil for who is not
// subscribed.
func readThread(tx *store.Tx, ch *Channel, parent *Message, user string) (read *threadRead, err error) {
	last := max(ch.LastRead, parent.TS)
	if slices.Contains(parent.replyUserList(), user) {
		own, err := lastReplyOf(tx, ch, parent.TS, user)
		if err != nil {
			return nil, err
		}
		last = max(last, own)
	} else if parent.User != user {
		return nil, nil
	}
	unread, err := countReplies(tx, ch, parent.TS, last, user)
	return &threadRead{last, unread}, err
}

// Unread returns the number of messages in a channel after the caller's read
// mark, and the newest message.
func (s *Service) Unread(ctx context.Context, ch *Channel) (n int64, latest []byte, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		if n, err = countAfter(tx, ch, ch.LastRead); err != nil {
			return err
		}
		latest, err = s.latest(tx, ch)
		return err
	})
	return n, latest, err
}
