package messaging

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/platform/store"
)

// Channel is a conversation of any kind.
type Channel struct {
	Workspace      string
	ID             string
	Kind           Kind
	Name           string // "" for an im
	Creator        string
	Created        int64 // microseconds
	Updated        int64 // microseconds
	Archived       bool
	IsGeneral      bool
	Topic          Label
	Purpose        Label
	PreviousNames  []string
	MemberKey      string // of an im or mpim: the ids of its users, sorted, separated by commas
	Members        int64
	LastTS         TS
	Version        int64 // incremented by every change of a message
	CallerIsMember bool
	LastRead       TS // the caller's read mark
}

// Label is a topic or a purpose.
type Label struct {
	Value   string
	Creator string
	Set     int64 // microseconds
}

const maxLabel = 250 // characters of a topic or purpose

// CreateChannel are the parameters of Service.CreateChannel.
type CreateChannel struct {
	Name    string
	Private bool
	general bool
}

// CreateChannel creates a channel whose first member is the caller. It returns
// the errors of checkChannelName, and NameTaken.
func (s *Service) CreateChannel(ctx context.Context, c Caller, in CreateChannel) (ch *Channel, err error) {
	if err := checkChannelName(in.Name); err != nil {
		return nil, err
	}
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		ch, err = s.createChannel(ctx, tx, c, in)
		return err
	})
	return ch, err
}

func (s *Service) createChannel(ctx context.Context, tx *store.Tx, c Caller, in CreateChannel) (*Channel, error) {
	now := s.Clock.Micros()
	ch := &Channel{Workspace: c.Workspace, ID: s.IDs.Object("C"), Kind: Public, Name: in.Name, Creator: c.ID,
		Created: now, Updated: now, IsGeneral: in.general}
	if in.Private {
		ch.Kind = Private
	}
	made, err := insertChannel(tx, ch)
	if err != nil {
		return nil, err
	}
	if !made {
		return nil, NameTaken
	}
	if ch.Kind == Public {
		err := s.emit(ctx, tx, event{kind: "channel_created", in: ch,
			inner: channelCreatedEvent{Type: "channel_created", Channel: ch.Object(), EventTS: s.eventTS()}})
		if err != nil {
			return nil, err
		}
	}
	if err := s.addMember(ctx, tx, ch, c.User, ""); err != nil {
		return nil, err
	}
	ch.CallerIsMember = true
	return ch, nil
}

// checkChannelName returns the same error as upstream for an invalid name,
// checking in the same order.
func checkChannelName(name string) error {
	if name == "" {
		return NameRequired.At("name")
	}
	if utf8.RuneCountInString(name) > 80 {
		return NameTooLong.At("name")
	}
	wordy := false
	for _, r := range name {
		switch {
		case r == '-' || r == '_':
		case unicode.IsUpper(r), !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
			return NameSpecials.At("name")
		default:
			wordy = true
		}
	}
	if !wordy {
		return NamePunctuation.At("name")
	}
	return nil
}

// change loads a channel that the caller can see, checks the preconditions of all
// changes, and runs f on it.
func (s *Service) change(ctx context.Context, c Caller, id string, kinds []Kind, f func(tx *store.Tx, ch *Channel) error) (ch *Channel, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if ch, err = s.visible(tx, c, id); err != nil {
			return err
		}
		if !slices.Contains(kinds, ch.Kind) {
			return WrongKind
		}
		return f(tx, ch)
	})
	return ch, err
}

// writable returns an error for an archived channel, and for a caller who is not
// a member.
func writable(ch *Channel) error {
	if ch.Archived {
		return IsArchived
	}
	if !ch.CallerIsMember {
		return NotInChannel
	}
	return nil
}

var (
	named   = []Kind{Public, Private}
	grouped = []Kind{Public, Private, MPIM}
)

// Rename changes the name of a channel. It returns NotAuthorized for a caller who
// is neither its creator nor an admin, the errors of checkChannelName, and
// NameTaken.
func (s *Service) Rename(ctx context.Context, c Caller, id, name string) (*Channel, error) {
	return s.change(ctx, c, id, named, func(tx *store.Tx, ch *Channel) error {
		if err := writable(ch); err != nil {
			return err
		}
		if ch.Creator != c.ID && !c.IsAdmin {
			return NotAuthorized
		}
		if err := checkChannelName(name); err != nil {
			return err
		}
		if name == ch.Name {
			return nil
		}
		if taken, err := channelNameTaken(tx, ch.Workspace, name); err != nil || taken {
			return orElse(err, NameTaken)
		}
		old := ch.Name
		ch.PreviousNames = append(slices.DeleteFunc(ch.PreviousNames, func(n string) bool { return n == old || n == name }), old)
		ch.Name = name
		if err := s.saveChannel(tx, ch, nameColumns...); err != nil {
			return err
		}
		kind := ch.prefix() + "_rename"
		err := s.emit(ctx, tx, event{kind: kind, in: ch, inner: channelRenameEvent{Type: kind, Channel: ch.ref(), EventTS: s.eventTS()}})
		if err != nil {
			return err
		}
		return s.postSystem(ctx, tx, ch, c.ID, systemMessage{Subtype: "channel_name", OldName: old, Name: name,
			Text: "<@" + c.ID + "> has renamed the channel from \"" + old + "\" to \"" + name + "\""})
	})
}

// SetTopic sets the topic; an empty one clears it. It returns TooLong.
func (s *Service) SetTopic(ctx context.Context, c Caller, id, text string) (*Channel, error) {
	return s.setLabel(ctx, c, id, text, "channel_topic", "topic", topicColumns, func(ch *Channel) *Label { return &ch.Topic })
}

// SetPurpose sets the purpose; an empty one clears it. It returns TooLong.
func (s *Service) SetPurpose(ctx context.Context, c Caller, id, text string) (*Channel, error) {
	return s.setLabel(ctx, c, id, text, "channel_purpose", "description", purposeColumns, func(ch *Channel) *Label { return &ch.Purpose })
}

func (s *Service) setLabel(ctx context.Context, c Caller, id, text, subtype, noun string, columns []string, at func(*Channel) *Label) (*Channel, error) {
	return s.change(ctx, c, id, grouped, func(tx *store.Tx, ch *Channel) error {
		if err := writable(ch); err != nil {
			return err
		}
		if utf8.RuneCountInString(text) > maxLabel {
			return TooLong
		}
		value := mrkdwn.Normalize(text, mrkdwn.Options{Parse: mrkdwn.ParseNone})
		label := at(ch)
		if label.Value == value {
			return nil
		}
		*label = Label{Value: value, Creator: c.ID, Set: s.Clock.Micros()}
		if err := s.saveChannel(tx, ch, columns...); err != nil {
			return err
		}
		m := systemMessage{Subtype: subtype, Text: "<@" + c.ID + "> set the channel " + noun + ": " + value}
		if value == "" {
			m.Text = "<@" + c.ID + "> cleared the channel " + noun
		}
		if subtype == "channel_topic" {
			m.Topic = &value
		} else {
			m.Purpose = &value
		}
		return s.postSystem(ctx, tx, ch, c.ID, m)
	})
}

// Archive makes a channel read-only. It returns NotInChannel, AlreadyArchived or
// CannotArchive.
func (s *Service) Archive(ctx context.Context, c Caller, id string) error {
	_, err := s.change(ctx, c, id, grouped, func(tx *store.Tx, ch *Channel) error {
		switch {
		case !ch.CallerIsMember:
			return NotInChannel
		case ch.Archived:
			return AlreadyArchived
		case ch.IsGeneral:
			return CannotArchive
		}
		err := s.postSystem(ctx, tx, ch, c.ID, systemMessage{Subtype: "channel_archive", Text: "<@" + c.ID + "> archived the channel"})
		if err != nil {
			return err
		}
		ch.Archived = true
		if err := s.saveChannel(tx, ch, archiveColumns...); err != nil || ch.Kind == MPIM {
			return err
		}
		kind := ch.prefix() + "_archive"
		return s.emit(ctx, tx, event{kind: kind, in: ch,
			inner: channelArchiveEvent{Type: kind, Channel: ch.ID, User: c.ID, EventTS: s.eventTS()}})
	})
	return err
}

// prefix is the prefix of the names of events about a channel.
func (ch *Channel) prefix() string {
	if ch.Kind == Public {
		return "channel"
	}
	return "group"
}

func (s *Service) saveChannel(tx *store.Tx, ch *Channel, columns ...string) error {
	ch.Updated = s.Clock.Micros()
	return updateChannel(tx, ch, columns...)
}

// Channel returns a conversation that the caller can see. It returns
// ChannelNotFound.
func (s *Service) Channel(ctx context.Context, c Caller, id string) (ch *Channel, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		ch, err = s.visible(tx, c, id)
		return err
	})
	return ch, err
}

// visible loads a conversation. It returns ChannelNotFound for one that is not
// public if the caller is not a member, and the error of the caller's Allow.
func (s *Service) visible(tx *store.Tx, c Caller, id string) (*Channel, error) {
	if id == "" || strings.ContainsAny(id, " ,") {
		return nil, ChannelNotFound
	}
	ch, err := getChannelFor(tx, c.Workspace, id, c.ID)
	if err != nil {
		return nil, err
	}
	if ch == nil || ch.Kind != Public && !ch.CallerIsMember && !c.everywhere {
		return nil, ChannelNotFound
	}
	return ch, c.allow(ch.Kind)
}

// ListChannels are the parameters of Service.ListChannels.
type ListChannels struct {
	Kinds           []Kind
	ExcludeArchived bool
	After           string // id
	Limit           int
}

// ListChannels returns the conversations that the caller can see, in order of
// id, and whether there are more.
func (s *Service) ListChannels(ctx context.Context, c Caller, in ListChannels) (out []*Channel, more bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listChannels(tx, c, in)
		return err
	})
	if len(out) > in.Limit {
		out, more = out[:in.Limit], true
	}
	return out, more, err
}
