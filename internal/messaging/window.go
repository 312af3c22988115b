package messaging

import (
	"context"
	"slices"

	"understudy/internal/platform/store"
)

// Window are the parameters of Service.Window: messages before a place of a
// conversation or thread, after it, or on both sides. Without a place it selects
// the newest ones.
type Window struct {
	Channel  string
	ThreadTS TS // the parent of a thread, or 0 for the conversation itself
	Before   TS
	After    TS
	Around   TS
	Limit    int
}

// Messages is a section of a conversation, oldest first.
type Messages struct {
	JSON     [][]byte
	HasOlder bool
	HasNewer bool
}

// Window returns a section of a conversation. It returns ChannelNotFound,
// NotInChannel or ThreadNotFound.
func (s *Service) Window(ctx context.Context, c Caller, in Window) (out Messages, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ch, err := s.peek(tx, c, in.Channel)
		if err != nil {
			return err
		}
		if in.ThreadTS > 0 {
			parent, err := messageAt(tx, ch, in.ThreadTS)
			if err != nil {
				return err
			}
			if parent == nil {
				return ThreadNotFound
			}
		}
		found, err := s.window(tx, ch, in, &out)
		for _, m := range found {
			out.JSON = append(out.JSON, m.appendJSON(nil, render{metadata: true, viewer: c.ID}))
		}
		return err
	})
	return out, err
}

func (s *Service) window(tx *store.Tx, ch *Channel, in Window, out *Messages) ([]*Message, error) {
	older := func(latest TS, limit int) (found []*Message, err error) {
		found, err = queryWindow(tx, ch, in.ThreadTS, 0, latest, limit+1, true)
		if len(found) > limit {
			found, out.HasOlder = found[:limit], true
		}
		slices.Reverse(found)
		return found, err
	}
	newer := func(oldest TS, limit int) (found []*Message, err error) {
		found, err = queryWindow(tx, ch, in.ThreadTS, oldest, maxTS, limit+1, false)
		if len(found) > limit {
			found, out.HasNewer = found[:limit], true
		}
		return found, err
	}
	switch {
	case in.After > 0:
		out.HasOlder = true
		return newer(in.After+1, in.Limit)
	case in.Around > 0:
		before, err := older(in.Around-1, in.Limit/2)
		if err != nil {
			return nil, err
		}
		after, err := newer(in.Around, in.Limit-in.Limit/2)
		return append(before, after...), err
	case in.Before > 0:
		out.HasNewer = true
		return older(in.Before-1, in.Limit)
	default:
		return older(maxTS, in.Limit)
	}
}
