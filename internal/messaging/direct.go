package messaging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// maxGroup is the most other members that a group conversation can have.
const maxGroup = 8

// Other returns the other member of a direct message; for one with oneself,
// user.
func (ch *Channel) Other(user string) string {
	for _, id := range strings.Split(ch.MemberKey, ",") {
		if id != user {
			return id
		}
	}
	return user
}

// OpenConversation are the parameters of Open: users, or the id of an existing
// conversation.
type OpenConversation struct {
	Users   []string
	Channel string
	Prevent bool // do not create one
}

// Opened is a conversation, with whether it already existed.
type Opened struct {
	Channel *Channel
	Existed bool
	Latest  []byte // the newest message, or nil
}

// Open returns the direct or group conversation of the caller with users,
// creating it once for each set of people. It returns UsersNotSupplied,
// UserNotFound, UserDisabled, TooManyUsers, ChannelNotFound or WrongKind.
func (s *Service) Open(ctx context.Context, c Caller, in OpenConversation) (o Opened, err error) {
	if in.Channel == "" && len(in.Users) == 0 {
		return o, UsersNotSupplied
	}
	err = s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if in.Channel != "" {
			o.Existed = true
			if o.Channel, err = s.own(tx, c, in.Channel); err != nil {
				return err
			}
			if o.Channel.Kind != IM && o.Channel.Kind != MPIM {
				return WrongKind
			}
			reopened, err := s.reopen(tx, c, o.Channel)
			if err != nil {
				return err
			}
			o.Existed = !reopened
		} else if o.Channel, o.Existed, err = s.openWith(ctx, tx, c, in.Users, in.Prevent); err != nil {
			return err
		}
		o.Latest, err = s.latest(tx, o.Channel)
		return err
	})
	return o, err
}

// openWith finds or creates the conversation of the caller with users.
func (s *Service) openWith(ctx context.Context, tx *store.Tx, c Caller, users []string, prevent bool) (*Channel, bool, error) {
	members := []*User{c.User}
	ids := []string{c.ID}
	for _, id := range users {
		if slices.Contains(ids, id) && (id != c.ID || len(users) > 1) {
			continue
		}
		u, err := getUser(tx, c.Workspace, id)
		if err != nil {
			return nil, false, err
		}
		if u == nil {
			return nil, false, UserNotFound
		}
		if u.Deleted {
			return nil, false, UserDisabled
		}
		if id != c.ID {
			members, ids = append(members, u), append(ids, id)
		}
	}
	if len(ids)-1 > maxGroup {
		return nil, false, TooManyUsers
	}
	kind, prefix := IM, "D"
	if len(ids) > 2 {
		kind, prefix = MPIM, "G"
	}
	if err := c.allow(kind); err != nil {
		return nil, false, err
	}
	slices.Sort(ids)
	key := strings.Join(ids, ",")
	ch, err := channelByMembers(tx, c.Workspace, key, c.ID)
	if err != nil {
		return nil, false, err
	}
	if ch != nil {
		reopened, err := s.reopen(tx, c, ch)
		return ch, !reopened, err
	}
	if prevent {
		return nil, false, ChannelNotFound
	}
	now := s.Clock.Micros()
	ch = &Channel{Workspace: c.Workspace, ID: s.IDs.Object(prefix), Kind: kind, Creator: c.ID, Created: now, Updated: now, MemberKey: key}
	if kind == MPIM {
		if err := s.nameGroup(tx, ch, members); err != nil {
			return nil, false, err
		}
	}
	made, err := insertChannel(tx, ch)
	if err != nil {
		return nil, false, err
	}
	if !made { // created concurrently by another process
		ch, err = channelByMembers(tx, c.Workspace, key, c.ID)
		return ch, true, err
	}
	for _, u := range members {
		if err := insertMember(tx, ch, u.ID, now); err != nil {
			return nil, false, err
		}
		s.membersMoved(tx, ch, u.ID, true)
	}
	ch.Members, ch.CallerIsMember = int64(len(members)), true
	return ch, false, s.announceIM(ctx, tx, c, ch)
}

// announceIM appends the events of a new im: one for both users, one for the user
// who opened it.
func (s *Service) announceIM(ctx context.Context, tx *store.Tx, c Caller, ch *Channel) error {
	if ch.Kind != IM {
		return nil
	}
	created := imCreatedEvent{Type: "im_created", User: c.ID, EventTS: s.eventTS()}
	created.Channel.ID = ch.ID
	if err := s.emit(ctx, tx, event{kind: created.Type, in: ch, moved: true, inner: created}); err != nil {
		return err
	}
	return s.emit(ctx, tx, event{kind: "im_open", in: ch, only: c.ID, inner: imOpenEvent{Type: "im_open", User: c.ID, Channel: ch.ID, EventTS: s.eventTS()}})
}

// own returns a conversation that the caller can see or was a member of: an im or
// mpim belongs to the same people for ever.
func (s *Service) own(tx *store.Tx, c Caller, id string) (*Channel, error) {
	ch, err := getChannelFor(tx, c.Workspace, id, c.ID)
	if err != nil {
		return nil, err
	}
	if ch != nil && ch.Kind == MPIM && slices.Contains(strings.Split(ch.MemberKey, ","), c.ID) {
		return ch, c.allow(MPIM)
	}
	return s.visible(tx, c, id)
}

// reopen makes the caller a member of a group conversation again, and unarchives
// it. It reports whether it changed anything.
func (s *Service) reopen(tx *store.Tx, c Caller, ch *Channel) (bool, error) {
	if ch.Kind != MPIM || ch.CallerIsMember && !ch.Archived {
		return false, nil
	}
	if !ch.CallerIsMember {
		if err := s.enter(tx, ch, c.ID, s.Clock.Micros()); err != nil {
			return false, err
		}
		ch.Members++
		ch.CallerIsMember = true
	}
	ch.Archived = false
	return true, s.saveChannel(tx, ch, archiveColumns...)
}

// nameGroup sets the name of a group conversation in upstream's form,
// mpdm-a--b--c-1, and its purpose.
func (s *Service) nameGroup(tx *store.Tx, ch *Channel, members []*User) error {
	var handles, mentions []string
	for _, u := range members {
		handles, mentions = append(handles, u.Name), append(mentions, "@"+u.Name)
	}
	base := "mpdm-" + strings.Join(handles, "--")
	for n := 1; ; n++ {
		ch.Name = fmt.Sprintf("%s-%d", base, n)
		if taken, err := channelNameTaken(tx, ch.Workspace, ch.Name); err != nil || !taken {
			ch.Purpose = Label{Value: "Group messaging with: " + strings.Join(mentions, " "), Creator: ch.Creator, Set: ch.Created}
			return err
		}
	}
}

// latest returns the newest message listed in a channel, or nil.
func (s *Service) latest(tx *store.Tx, ch *Channel) ([]byte, error) {
	found, err := queryMessages(tx, ch, historyRange{limit: 1, latest: maxTS})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].appendJSON(nil, render{}), nil
}
