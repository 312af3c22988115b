package messaging

import (
	"context"
	"slices"

	"understudy/internal/platform/store"
)

// Threads are the parameters of Service.Threads.
type Threads struct {
	Unread bool        // only threads with unread replies
	Before ThreadPlace // only those after this place; zero for the beginning
	Limit  int
}

// ThreadPlace is a place in a list of threads.
type ThreadPlace struct {
	Latest TS
	ID     int64 // of the parent's row, because replies in several conversations may have the same ts
}

// threadStep is how many threads are read at a time when looking for the
// caller's, and threadLook how many at most for one page.
const (
	threadStep = 500
	threadLook = 20_000
)

// shownReplies is how many of the newest replies a listed thread shows.
const shownReplies = 3

// Thread is a thread in the list of one of its participants.
type Thread struct {
	Channel *Channel
	Parent  []byte   // JSON
	Replies [][]byte // JSON; the newest ones, oldest first
	Latest  TS
	Unread  int64 // replies of others after the caller's read mark in the conversation, at most 1,000
}

// Threads returns a page of the threads that the caller participates in, newest
// reply first, and the place of the next page, zero at the end.
func (s *Service) Threads(ctx context.Context, c Caller, in Threads) (out []*Thread, next ThreadPlace, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, next = nil, ThreadPlace{}
		channels := map[string]*Channel{}
		before := in.Before
		if before == (ThreadPlace{}) {
			before.Latest = maxTS
		}
		for looked := 0; ; looked += threadStep {
			if looked >= threadLook {
				next = before
				return nil
			}
			rows, err := threadsBefore(tx, c.Workspace, before, threadStep)
			if err != nil {
				return err
			}
			for _, row := range rows {
				before = ThreadPlace{row.parent.latestReply, row.parent.id}
				if row.parent.User != c.ID && !slices.Contains(row.parent.replyUserList(), c.ID) {
					continue
				}
				t, err := threadOf(tx, c, row, channels)
				if err != nil {
					return err
				}
				if t == nil || in.Unread && t.Unread == 0 {
					continue
				}
				if out = append(out, t); len(out) == in.Limit {
					next = before
					return nil
				}
			}
			if len(rows) < threadStep {
				return nil
			}
		}
	})
	return out, next, err
}

// threadOf returns a thread as the caller sees it, nil if the caller is not a
// member of its conversation.
func threadOf(tx *store.Tx, c Caller, row threadRow, channels map[string]*Channel) (*Thread, error) {
	ch, known := channels[row.channel]
	if !known {
		var err error
		if ch, err = getChannelFor(tx, c.Workspace, row.channel, c.ID); err != nil {
			return nil, err
		}
		channels[row.channel] = ch
	}
	if ch == nil || !ch.CallerIsMember {
		return nil, nil
	}
	t := &Thread{Channel: ch, Parent: row.parent.JSON(c.ID, true), Latest: row.parent.latestReply}
	replies, err := queryWindow(tx, ch, row.parent.TS, 0, maxTS, shownReplies, true)
	if err != nil {
		return nil, err
	}
	slices.Reverse(replies)
	for _, m := range replies {
		t.Replies = append(t.Replies, m.JSON(c.ID, true))
	}
	if t.Latest > ch.LastRead {
		t.Unread, err = countReplies(tx, ch, row.parent.TS, ch.LastRead, c.ID)
	}
	return t, err
}
