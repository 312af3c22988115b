package messaging

import (
	"context"
	"slices"

	"understudy/internal/platform/store"
)

// Threads asks for the threads that the caller takes part in, newest reply first.
type Threads struct {
	Unread bool        // only those with something unread
	Before ThreadPlace // those that follow it; the zero value is the beginning
	Limit  int
}

// ThreadPlace is where a list of threads goes on.
type ThreadPlace struct {
	Latest TS
	ID     int64 // of the parent's row: conversations may have replies at the same time
}

// threadStep is how many threads are read at a time while looking for those of
// the caller, and threadLook how many are looked at for one page.
const (
	threadStep = 500
	threadLook = 20_000
)

// shownReplies is how many of the newest replies a listed thread shows.
const shownReplies = 3

// Thread is a thread as one who takes part in it sees it in a list.
type Thread struct {
	Channel *Channel
	Parent  []byte   // JSON
	Replies [][]byte // JSON; the newest ones, oldest first
	Latest  TS
	Unread  int64 // replies of others after the caller's mark in the conversation, 1,000 at most
}

// Threads returns a page of threads, and where the next one begins: the zero value at the end.
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

// threadOf returns a thread as the caller sees it, nil when the caller is no
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
