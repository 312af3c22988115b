package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// ChannelState is a conversation as a member's list shows it.
type ChannelState struct {
	*Channel
	Starred  bool
	Latest   TS    // the newest message listed in it, or 0
	Unread   int64 // messages of others after the member's read mark, at most 1,000
	Mentions int64 // the unread messages that mention the member
}

// readFrom returns the mark after which messages are unread. Messages from before
// the member joined are not.
func (m *ChannelState) readFrom(joined int64) TS { return max(m.LastRead, TS(joined)) }

// ChannelStates returns the caller's conversations with their unread counts.
func (s *Service) ChannelStates(ctx context.Context, c Caller) (out []*ChannelState, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = channelStatesOf(tx, c, "")
		return err
	})
	return out, err
}

// MarkRead moves the caller's read mark in a conversation to ts and returns the
// remaining unread counts. It returns ChannelNotFound or NotInChannel.
func (s *Service) MarkRead(ctx context.Context, c Caller, channel string, ts TS) (m *ChannelState, err error) {
	return s.changeState(ctx, c, channel, func(tx *store.Tx, ch *Channel) error { return markRead(tx, ch, c.ID, ts) })
}

// Star sets whether the caller has starred a conversation. It returns
// ChannelNotFound or NotInChannel.
func (s *Service) Star(ctx context.Context, c Caller, channel string, starred bool) (m *ChannelState, err error) {
	return s.changeState(ctx, c, channel, func(tx *store.Tx, ch *Channel) error { return starMember(tx, ch, c.ID, starred) })
}

func (s *Service) changeState(ctx context.Context, c Caller, channel string, change func(*store.Tx, *Channel) error) (m *ChannelState, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		ch, err := s.visible(tx, c, channel)
		if err != nil {
			return err
		}
		if !ch.CallerIsMember {
			return NotInChannel
		}
		if err := change(tx, ch); err != nil {
			return err
		}
		found, err := channelStatesOf(tx, c, ch.ID)
		if err != nil {
			return err
		}
		m = found[0]
		tx.AfterCommit(func() { s.toUser(c, "channel_marked", m.Mark()) })
		return nil
	})
	return m, err
}

// Mark is the payload of client events about a read mark.
type Mark struct {
	Channel  string `json:"channel"`
	LastRead string `json:"last_read"`
	Unread   int64  `json:"unread_count"`
	Mentions int64  `json:"mention_count"`
	Starred  bool   `json:"starred"`
}

// Mark returns the member's read mark as clients receive it.
func (m *ChannelState) Mark() Mark {
	return Mark{Channel: m.ID, LastRead: m.LastRead.String(), Unread: m.Unread, Mentions: m.Mentions, Starred: m.Starred}
}

// toUser sends an event only to the caller's connected clients.
func (s *Service) toUser(c Caller, name string, payload any) {
	s.toPerson(c.Workspace, c.ID, name, payload)
}

// toPerson sends an event only to the connected clients of one user.
func (s *Service) toPerson(workspace, user, name string, payload any) {
	if s.ToUser == nil {
		return
	}
	if b, err := marshal(payload); err == nil {
		s.ToUser(workspace, user, name, b)
	}
}
