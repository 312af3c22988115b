package messaging

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/store"
)

const (
	maxReactionsOfUser = 23 // different emoji by one person on one message
	maxEmojiOfMessage  = 50 // different emoji on one message
)

// Reaction names a reaction to a message.
type Reaction struct {
	Channel string
	TS      TS
	Name    string // an emoji name, with or without colons
}

// AddReaction adds the caller's reaction. It returns BadEmojiName,
// ChannelNotFound, MessageNotFound, IsArchived, NotInChannel, AlreadyReacted,
// TooManyReaction or TooManyEmoji.
func (s *Service) AddReaction(ctx context.Context, c Caller, in Reaction) error {
	return s.react(ctx, c, in, "reaction_added", func(tx *store.Tx, ch *Channel, m *Message, name string) error {
		mine, all, last, has, err := countReactions(tx, ch, m.TS, c.ID, name)
		switch {
		case err != nil:
			return err
		case mine >= maxReactionsOfUser:
			return TooManyReaction
		case all >= maxEmojiOfMessage && !has:
			return TooManyEmoji
		}
		added, err := insertReaction(tx, ch, m.TS, name, c.ID, max(s.Clock.Micros(), last+1)) // in order on a frozen clock
		if err == nil && !added {
			err = AlreadyReacted
		}
		return err
	})
}

// RemoveReaction removes the caller's reaction. It returns the errors of
// AddReaction, and NoReaction.
func (s *Service) RemoveReaction(ctx context.Context, c Caller, in Reaction) error {
	return s.react(ctx, c, in, "reaction_removed", func(tx *store.Tx, ch *Channel, m *Message, name string) error {
		removed, err := deleteReaction(tx, ch, m.TS, name, c.ID)
		if err == nil && !removed {
			err = NoReaction
		}
		return err
	})
}

func (s *Service) react(ctx context.Context, c Caller, in Reaction, kind string,
	change func(tx *store.Tx, ch *Channel, m *Message, name string) error) error {
	names, err := s.emojiNames(ctx, c.Workspace)
	if err != nil {
		return err
	}
	name, ok := names(strings.Trim(in.Name, ":"))
	if !ok {
		return BadEmojiName
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		ch, err := s.visible(tx, c, in.Channel)
		if err != nil {
			return err
		}
		// bumpVersion locks the row: without the lock two concurrent reactions would
		// each not count the other.
		if err := bumpVersion(tx, ch.Workspace, ch.ID); err != nil {
			return err
		}
		m, err := messageAt(tx, ch, in.TS)
		switch {
		case err != nil:
			return err
		case m == nil || m.Subtype == tombstone:
			return MessageNotFound
		case ch.Archived:
			return IsArchived
		}
		if err := readable(c, ch); err != nil {
			return err
		}
		if err := change(tx, ch, m, name); err != nil {
			return err
		}
		if m.reactions, err = reactionsJSON(tx, ch, m.TS, m.reactions); err != nil {
			return err
		}
		if err := updateReactions(tx, m); err != nil {
			return err
		}
		return s.emit(ctx, tx, event{kind: kind, in: ch, inner: reactionEvent{
			Type: kind, User: c.ID, Reaction: name, Item: reactionItem{Type: "message", Channel: ch.ID, TS: m.TS.String()},
			ItemUser: m.User, EventTS: s.eventTS()}})
	})
}

// reactionsJSON renders the reactions of a message in the order of first use; nil
// without any. An emoji keeps its place in the reactions as they were before, old,
// also when the person who used it first removes it.
func reactionsJSON(tx *store.Tx, ch *Channel, ts TS, old []byte) ([]byte, error) {
	type one struct {
		Name  string `json:"name"`
		users []string
	}
	var all []*one
	if len(old) > 0 {
		if err := json.Unmarshal(old, &all); err != nil {
			return nil, err
		}
	}
	byName := map[string]*one{}
	for _, o := range all {
		byName[o.Name] = o
	}
	err := eachReaction(tx, ch, ts, func(name, user string) {
		o := byName[name]
		if o == nil {
			o = &one{Name: name}
			byName[name] = o
			all = append(all, o)
		}
		o.users = append(o.users, user)
	})
	all = slices.DeleteFunc(all, func(o *one) bool { return len(o.users) == 0 })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	b := []byte{'['}
	for i, o := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = jsontext.Append(b, o.Name)
		b = append(b, `,"users":["`...)
		b = append(b, strings.Join(o.users, `","`)...)
		b = append(b, `"],"count":`...)
		b = strconv.AppendInt(b, int64(len(o.users)), 10)
		b = append(b, '}')
	}
	return append(b, ']'), nil
}
