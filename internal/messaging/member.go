package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// addMember adds a user to a channel and emits the events. inviter is "" when the
// user joins without invitation.
func (s *Service) addMember(ctx context.Context, tx *store.Tx, ch *Channel, u *User, inviter string) error {
	if err := insertMember(tx, ch, u.ID, s.Clock.Micros()); err != nil {
		return err
	}
	ch.Members++
	s.membersMoved(tx, ch, u.ID, true)
	err := s.postSystem(ctx, tx, ch, u.ID, systemMessage{Subtype: "channel_join", Inviter: inviter, Text: "<@" + u.ID + "> has joined the channel"})
	if err != nil {
		return err
	}
	return s.emit(ctx, tx, event{kind: "member_joined_channel", in: ch, user: u.ID, moved: true,
		inner: memberEvent{Type: "member_joined_channel", User: u.ID, Channel: ch.ID, ChannelType: ch.letter(),
			Team: ch.Workspace, Inviter: inviter, EventTS: s.eventTS()}})
}

// removeMember removes a user from a channel on behalf of actor, and emits the
// events.
func (s *Service) removeMember(ctx context.Context, tx *store.Tx, ch *Channel, user, actor, text string) error {
	if ch.Kind != MPIM {
		kind := ch.prefix() + "_left"
		err := s.emit(ctx, tx, event{kind: kind, in: ch, only: user,
			inner: channelLeftEvent{Type: kind, Channel: ch.ID, ActorID: actor, EventTS: s.eventTS()}})
		if err != nil {
			return err
		}
	}
	err := s.postSystem(ctx, tx, ch, user, systemMessage{Subtype: "channel_leave", Text: text})
	if err != nil {
		return err
	}
	if err := deleteMember(tx, ch, user); err != nil {
		return err
	}
	ch.Members--
	err = s.emit(ctx, tx, event{kind: "member_left_channel", in: ch, user: user, moved: true,
		inner: memberEvent{Type: "member_left_channel", User: user, Channel: ch.ID, ChannelType: ch.letter(),
			Team: ch.Workspace, EventTS: s.eventTS()}})
	s.membersMoved(tx, ch, user, false)
	return err
}

// membersMoved drops a membership from the caches: immediately, since the next
// write may share a commit with this one, and again after the commit.
func (s *Service) membersMoved(tx *store.Tx, ch *Channel, user string, in bool) {
	key, where := memberKey{ch.Workspace, ch.ID, user}, Conversation{ch.Workspace, ch.ID, ch.Kind}
	s.members.Drop(key)
	tx.AfterCommit(func() {
		s.members.Drop(key)
		if s.MembersChanged != nil {
			s.MembersChanged(where, user, in)
		}
	})
}

// JoinChannel adds the caller to a public channel. already reports whether the
// caller was a member before. It returns WrongKind or IsArchived.
func (s *Service) JoinChannel(ctx context.Context, c Caller, id string) (ch *Channel, already bool, err error) {
	ch, err = s.change(ctx, c, id, []Kind{Public}, func(tx *store.Tx, ch *Channel) error {
		already = ch.CallerIsMember
		if ch.Archived {
			return IsArchived
		}
		if already {
			return nil
		}
		ch.CallerIsMember = true
		return s.addMember(ctx, tx, ch, c.User, "")
	})
	return ch, already, err
}

// Leave removes the caller from a channel and reports whether the caller was a
// member. It returns WrongKind, IsArchived, CannotLeaveGeneral or LastMember.
func (s *Service) Leave(ctx context.Context, c Caller, id string) (was bool, err error) {
	_, err = s.change(ctx, c, id, grouped, func(tx *store.Tx, ch *Channel) error {
		was = ch.CallerIsMember
		switch {
		case ch.Archived:
			return IsArchived
		case !was:
			return nil
		case ch.IsGeneral:
			return CannotLeaveGeneral
		case ch.Kind == Private && ch.Members == 1:
			return LastMember
		}
		return s.removeMember(ctx, tx, ch, c.ID, c.ID, "<@"+c.ID+"> has left the channel")
	})
	return was, err
}

// Invite are the parameters of Service.Invite.
type Invite struct {
	Channel string
	Users   []string
	Force   bool // add the users who can be added, even when others cannot
}

// Invite adds users to a channel: all or none, unless Force. It returns a
// UserFaults with each failure. When no user was added, the error has the reason
// of the first.
func (s *Service) Invite(ctx context.Context, c Caller, in Invite) (ch *Channel, failed UserFaults, err error) {
	if len(in.Users) == 0 {
		return nil, nil, NoUser
	}
	if len(in.Users) > 1000 {
		return nil, nil, TooManyUsers
	}
	ch, err = s.change(ctx, c, in.Channel, named, func(tx *store.Tx, ch *Channel) error {
		if err := writable(ch); err != nil {
			return err
		}
		var invited []*User
		failed = nil
		seen := map[string]bool{}
		for _, id := range in.Users {
			if seen[id] {
				continue
			}
			seen[id] = true
			u, reason, err := s.invitable(tx, c, ch, id)
			if err != nil {
				return err
			}
			if reason != "" {
				failed = append(failed, userFault{User: id, Error: reason})
				continue
			}
			invited = append(invited, u)
		}
		if len(failed) > 0 && (!in.Force || len(invited) == 0) {
			return failed.err()
		}
		for _, u := range invited {
			if err := s.addMember(ctx, tx, ch, u, c.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return ch, failed, err
}

// invitable returns a user who can be added, or the reason why the user cannot.
func (s *Service) invitable(tx *store.Tx, c Caller, ch *Channel, id string) (*User, string, error) {
	if id == c.ID {
		return nil, string(CannotInviteSelf.Reason), nil
	}
	u, err := getUser(tx, c.Workspace, id)
	if err != nil {
		return nil, "", err
	}
	if u == nil || u.Deleted {
		return nil, string(UserNotFound.Reason), nil
	}
	in, err := isMember(tx, ch, id)
	if err != nil {
		return nil, "", err
	}
	if in {
		return nil, string(AlreadyInChannel.Reason), nil
	}
	return u, "", nil
}

// Kick removes a user from a channel. It returns UserNotFound, CannotKickSelf,
// CannotKickGeneral, and NotInChannel for the caller or the user.
func (s *Service) Kick(ctx context.Context, c Caller, channel, user string) error {
	_, err := s.change(ctx, c, channel, named, func(tx *store.Tx, ch *Channel) error {
		if err := writable(ch); err != nil {
			return err
		}
		u, err := getUser(tx, c.Workspace, user)
		switch {
		case err != nil:
			return err
		case u == nil:
			return UserNotFound
		case user == c.ID:
			return CannotKickSelf
		case ch.IsGeneral:
			return CannotKickGeneral
		}
		in, err := isMember(tx, ch, user)
		if err != nil {
			return err
		}
		if !in {
			return NotInChannel
		}
		return s.removeMember(ctx, tx, ch, user, c.ID, "<@"+user+"> was removed from the channel by <@"+c.ID+">")
	})
	return err
}

// Members returns the members of a conversation after an id, sorted, at most
// limit, and whether there are more.
func (s *Service) Members(ctx context.Context, c Caller, channel, after string, limit int) (out []string, more bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ch, err := s.visible(tx, c, channel)
		if err != nil {
			return err
		}
		out, err = listMembers(tx, ch, after, limit+1)
		return err
	})
	if len(out) > limit {
		out, more = out[:limit], true
	}
	return out, more, err
}

// letter is the channel type of membership events.
func (ch *Channel) letter() string {
	if ch.Kind == MPIM {
		return "G"
	}
	return "C"
}
