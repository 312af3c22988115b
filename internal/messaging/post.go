package messaging

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/platform/store"
)

// PostMessage are the parameters of Service.PostMessage.
type PostMessage struct {
	Channel     string // id of a conversation, name of a channel, or id of a user (opens the im)
	Text        string
	Markdown    string // markdown_text
	Blocks      []byte // JSON array; nil when left out
	Attachments []byte // JSON array; nil when left out
	Metadata    []byte // JSON object; nil when left out
	ThreadTS    string
	Broadcast   bool
	NoMrkdwn    bool
	Parse       string
	LinkNames   bool
	Username    string // with the icons: a custom author
	IconEmoji   string
	IconURL     string
	ClientMsgID string // repeated, the call returns the first message
}

// Posted is a message that was posted.
type Posted struct {
	Channel   string
	TS        TS
	Message   []byte // JSON
	Duplicate bool
	Truncated bool
}

// PostMessage posts a message and emits its events. It returns, in this order,
// ChannelNotFound, the errors of the content, IsArchived, NotInChannel and
// ThreadNotFound.
func (s *Service) PostMessage(ctx context.Context, c Caller, in PostMessage) (Posted, error) {
	body, refused := s.prepare(ctx, c, draft{text: in.Text, markdown: in.Markdown, blocks: in.Blocks, attachments: in.Attachments,
		metadata: in.Metadata, mrkdwn: !in.NoMrkdwn, parse: in.Parse, linkNames: in.LinkNames})
	threadTS, threadOK := TS(0), true
	if in.ThreadTS != "" {
		threadTS, threadOK = ParseTS(in.ThreadTS)
	}
	who := s.authorOf(c.User)
	subtype := ""
	if in.Username != "" || in.IconEmoji != "" || in.IconURL != "" {
		subtype = "bot_message"
		who.user, who.icons = "", iconsOf(in.IconEmoji, in.IconURL)
		who.username = in.Username
		if who.username == "" {
			who.username = c.Profile.RealName
		}
	}
	var out Posted
	err := s.world.Write(ctx, func(tx *store.Tx) error {
		ch, h, err := s.target(ctx, tx, c, in.Channel)
		if err != nil {
			return err
		}
		switch {
		case refused != nil:
			return refused
		case ch.Archived:
			return IsArchived
		case !ch.CallerIsMember && !(c.Anywhere && ch.Kind == Public) && !c.everywhere:
			return NotInChannel
		case !threadOK:
			return ThreadNotFound
		}
		out = Posted{Channel: ch.ID, TS: ch.LastTS, Truncated: utf8.RuneCountInString(in.Text) > mrkdwn.MaxText}
		m := &Message{Listed: true, TS: ch.LastTS, User: who.user, Subtype: subtype, metadata: body.metadata}
		where := place{broadcast: in.Broadcast}
		if in.ClientMsgID != "" {
			if earlier, err := messageByClientID(tx, ch, in.ClientMsgID); err != nil || earlier != nil {
				out.Duplicate = true
				if earlier != nil {
					out.TS, out.Message = earlier.TS, earlier.JSON(c.ID, true)
				}
				return err
			}
			body.clientMsgID = in.ClientMsgID
		}
		if threadTS > 0 {
			if where, err = s.reply(tx, ch, threadTS, m, c, in.Broadcast); err != nil {
				return err
			}
		}
		m.body = bodyOf(who, m.TS, m.Subtype, body, where, nil)
		if err := writeTS(tx, ch); err != nil {
			return err
		}
		if err := insertMessage(tx, ch, m, body); err != nil {
			return err
		}
		if !c.IsBot() {
			if err := markRead(tx, ch, c.ID, m.TS); err != nil {
				return err
			}
		}
		out.Message = m.JSON(c.ID, true)
		if err := s.emitPosted(ctx, tx, ch, m, body); err != nil {
			return err
		}
		h.posted(tx, ch, c.ID)
		return nil
	})
	if err == nil && !out.Duplicate {
		s.index.Wrote(ctx, 1)
	}
	return out, err
}

// emitPosted appends the events of a new message.
func (s *Service) emitPosted(ctx context.Context, tx *store.Tx, ch *Channel, m *Message, c *content) error {
	err := s.emit(ctx, tx, event{kind: "message", in: ch, inner: eventOf(m.body, ch, m.TS)})
	if err != nil {
		return err
	}
	if err := s.emitMentions(ctx, tx, ch, m, c, nil, m.TS); err != nil {
		return err
	}
	if err := s.emitMetadata(ctx, tx, ch, m, nil, false, m.TS); err != nil {
		return err
	}
	return s.emitLinks(ctx, tx, ch, m, c)
}

var conversationID = regexp.MustCompile(`^[CDG][A-Z0-9]{8,}$`)
var userID = regexp.MustCompile(`^[UW][A-Z0-9]{8,}$`)

// target finds the conversation to post to and allocates the next ts there. The
// returned channel holds only the columns that posting needs; the caller must
// call heads.posted after the post.
func (s *Service) target(ctx context.Context, tx *store.Tx, c Caller, name string) (*Channel, *heads, error) {
	id := name
	switch {
	case conversationID.MatchString(name):
	case userID.MatchString(name):
		u, err := getUser(tx, c.Workspace, name)
		switch {
		case err != nil:
			return nil, nil, err
		case u == nil:
			return nil, nil, ChannelNotFound
		case u.IsBot() && c.IsBot() && u.ID != c.ID:
			return nil, nil, CannotDMBot
		case u.Deleted:
			return nil, nil, UserDisabled
		}
		ch, _, err := s.openWith(ctx, tx, Caller{User: c.User}, []string{name}, false)
		if err != nil {
			return nil, nil, err
		}
		id = ch.ID
	default:
		var err error
		if id, err = channelIDByName(tx, c.Workspace, strings.TrimPrefix(name, "#")); err != nil {
			return nil, nil, err
		}
	}
	if id == "" {
		return nil, nil, ChannelNotFound
	}
	h := headsOf(tx)
	ch, err := h.nextTS(tx, c.Workspace, id, c.ID, s.Clock.Micros())
	if err != nil {
		return nil, nil, err
	}
	if ch == nil || ch.Kind != Public && !ch.CallerIsMember && !c.everywhere {
		return nil, nil, ChannelNotFound
	}
	return ch, h, nil
}

// changed notifies the search index of a new or changed message after the commit.
func (s *Service) changed(tx *store.Tx) {
	tx.AfterCommit(func() { s.index.Note(1) })
}

// systemMessage is a message that the service itself writes.
type systemMessage struct {
	Subtype string
	Text    string
	Inviter string
	Topic   *string
	Purpose *string
	Name    string
	OldName string
}

// postSystem stores a system message in the name of a user and emits its event.
func (s *Service) postSystem(ctx context.Context, tx *store.Tx, ch *Channel, user string, in systemMessage) error {
	ts, err := touchChannel(tx, ch.Workspace, ch.ID, s.Clock.Micros())
	if err != nil {
		return err
	}
	w := bodyWriter{b: append([]byte(nil), `{"type":"message"`...)}
	w.text("subtype", in.Subtype)
	w.text("user", user)
	w.text("text", in.Text)
	w.ts("ts", ts)
	w.text("team", ch.Workspace)
	w.text("inviter", in.Inviter)
	for name, value := range map[string]*string{"topic": in.Topic, "purpose": in.Purpose} {
		if value != nil {
			text, err := marshal(*value)
			if err != nil {
				return err
			}
			w.raw(name, text)
		}
	}
	w.text("old_name", in.OldName)
	w.text("name", in.Name)
	m := &Message{Listed: true, TS: ts, User: user, Subtype: in.Subtype, body: append(w.b, '}')}
	if err := insertMessage(tx, ch, m, &content{}); err != nil {
		return err
	}
	ch.LastTS = ts
	s.changed(tx)
	return s.emit(ctx, tx, event{kind: "message", in: ch, inner: eventOf(m.body, ch, ts),
		moved: in.Subtype == "channel_join" || in.Subtype == "channel_leave"})
}
