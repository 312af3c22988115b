package messaging

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/messaging/seed"
	"understudy/internal/platform/seeddoc"
)

// datedMessage is a message of the document with its ts.
type datedMessage struct {
	*seed.Message
	ch *workingChannel
	ts TS
}

func (w *seeder) seedMessages() error {
	all := make([]datedMessage, len(w.doc.Messages))
	for i := range w.doc.Messages {
		in := &w.doc.Messages[i]
		ch, err := w.channel(in.Channel)
		if err != nil {
			return err
		}
		all[i] = datedMessage{Message: in, ch: ch}
		if err := w.date(&all[i]); err != nil {
			return err
		}
	}
	// A parent comes before its replies, and ids grow with time.
	slices.SortStableFunc(all, func(a, b datedMessage) int { return cmp.Compare(a.ts, b.ts) })
	parents := map[*workingChannel]map[TS]bool{}
	for _, m := range all {
		parent, err := w.seedMessage(m)
		if err != nil {
			return err
		}
		if parent > 0 && !m.ch.fresh {
			if parents[m.ch] == nil {
				parents[m.ch] = map[TS]bool{}
			}
			parents[m.ch][parent] = true
		}
	}
	// In channels with earlier replies, the document's replies need not be the
	// latest.
	for ch, roots := range parents {
		for ts := range roots {
			if _, err := w.s.recount(w.tx, ch.Channel, ts); err != nil {
				return err
			}
		}
	}
	return w.finishChannels(all)
}

// date sets the ts of a message: its own, or the first free one from its time on.
func (w *seeder) date(m *datedMessage) error {
	exact := m.TS != ""
	if exact {
		if m.At.Micros != 0 {
			return m.In("at").Refuse("cannot be given together with ts")
		}
		ts, ok := ParseTS(string(m.TS))
		if !ok || ts <= 0 {
			return m.In("ts").Refuse("must be a timestamp such as 1767225600.000100")
		}
		m.ts = ts
	} else {
		m.ts = TS(m.At.Or(w.now))
	}
	if int64(m.ts) > w.now {
		return m.In(map[bool]string{true: "ts", false: "at"}[exact]).Refuse("must not be later than the environment's clock")
	}
	for ; ; m.ts++ {
		taken := m.ch.taken[m.ts]
		if !taken && !m.ch.fresh {
			var err error
			if taken, err = tsTaken(w.tx, m.ch.Channel, m.ts); err != nil {
				return err
			}
		}
		switch {
		case !taken:
			m.ch.taken[m.ts] = true
			return nil
		case exact:
			return m.In("ts").Refuse("the channel has a message with this ts")
		}
	}
}

// seedMessage stores a message and returns its parent's ts, or 0.
func (w *seeder) seedMessage(in datedMessage) (parent TS, err error) {
	u, err := w.user(in.User)
	if err != nil {
		return 0, err
	}
	body, err := w.s.prepare(w.ctx, Caller{User: u}, draft{text: w.mentions(in.Text), blocks: in.Blocks, attachments: in.Attachments,
		metadata: in.Metadata, mrkdwn: true, names: w.emoji})
	if err != nil {
		return 0, in.Blame(err)
	}
	if utf8.RuneCountInString(in.Text) > mrkdwn.MaxText {
		return 0, in.In("text").Refuse("must have at most %d characters", mrkdwn.MaxText)
	}
	m := &Message{Listed: true, TS: in.ts, User: u.ID, metadata: body.metadata}
	where := place{}
	if in.Parent.Name != "" {
		if where, err = w.fileUnder(in, m, u); err != nil {
			return 0, err
		}
	} else if in.Broadcast {
		return 0, in.In("broadcast").Refuse("is only for replies: parent is missing")
	}
	m.body = bodyOf(w.s.authorOf(u), m.TS, m.Subtype, body, where, nil)
	if err := insertMessage(w.tx, in.ch.Channel, m, body); err != nil {
		return 0, err
	}
	if err := w.enter(in.ch, u, int64(in.ts)); err != nil {
		return 0, err
	}
	in.ch.last = max(in.ch.last, m.TS)
	if !u.IsBot() && !in.ch.left[u.ID] {
		in.ch.members[u.ID] = m.TS
	}
	if in.Key != "" {
		s := SeededMessage{Channel: in.ch.ID, TS: m.TS.String()}
		if where.threadTS > 0 {
			s.ThreadTS = where.threadTS.String()
		}
		w.made.Messages[in.Key] = s
	}
	return where.threadTS, w.seedReactions(in)
}

// fileUnder adds a reply to its thread.
func (w *seeder) fileUnder(in datedMessage, m *Message, by *User) (place, error) {
	known, named := w.made.Messages[in.Parent.Name]
	text := in.Parent.Name
	if named {
		text = known.TS
	}
	ts, ok := ParseTS(text)
	switch {
	case !ok && slices.ContainsFunc(w.doc.Messages, func(o seed.Message) bool { return o.Key == in.Parent.Name }):
		return place{}, in.Parent.Refuse("the message %s is later than its reply", in.Parent.Name)
	case !ok:
		return place{}, in.Parent.Refuse("there is no message %q in the document", in.Parent.Name)
	case named && known.Channel != in.ch.ID:
		return place{}, in.Parent.Refuse("the message %s is in another channel", in.Parent.Name)
	}
	where, err := w.s.reply(w.tx, in.ch.Channel, ts, m, Caller{User: by}, in.Broadcast)
	return where, in.Parent.Blame(err)
}

var ownMention = regexp.MustCompile(`<([@#])([^\s<>|]{1,200})>`)

// mentions replaces the document's names in mentions by ids.
func (w *seeder) mentions(text string) string {
	if !strings.ContainsRune(text, '<') {
		return text
	}
	return ownMention.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		if u := w.users[name]; u != nil && found[1] == '@' {
			return "<@" + u.ID + ">"
		}
		if ch := w.channels[name]; ch != nil && found[1] == '#' && ch.Name != "" {
			return "<#" + ch.ID + "|" + ch.Name + ">"
		}
		return found
	})
}

func (w *seeder) seedReactions(in datedMessage) error {
	if len(in.Reactions) == 0 {
		return nil
	}
	if len(in.Reactions) > maxEmojiOfMessage {
		return in.In("reactions").Blame(TooManyEmoji.Detailf("at most %d emoji", maxEmojiOfMessage))
	}
	mine, at := map[string]int{}, int64(in.ts)
	for _, r := range in.Reactions {
		name, ok := w.emoji(strings.Trim(r.Name, ":"))
		if !ok {
			return r.Refuse("is not an emoji")
		}
		for _, ref := range r.Value {
			if err := w.react(in, name, ref, at, mine); err != nil {
				return err
			}
			at++ // reactions are listed in this order
		}
	}
	m, err := messageAt(w.tx, in.ch.Channel, in.ts)
	if err != nil {
		return err
	}
	if m.reactions, err = reactionsJSON(w.tx, in.ch.Channel, in.ts, nil); err != nil {
		return err
	}
	return updateReactions(w.tx, m)
}

func (w *seeder) react(in datedMessage, name string, ref seeddoc.Ref, at int64, mine map[string]int) error {
	u, err := w.user(ref)
	if err != nil {
		return err
	}
	if mine[u.ID]++; mine[u.ID] > maxReactionsOfUser {
		return ref.Blame(TooManyReaction)
	}
	added, err := insertReaction(w.tx, in.ch.Channel, in.ts, name, u.ID, at)
	if err == nil && !added {
		err = ref.Blame(AlreadyReacted)
	}
	return err
}

// finishChannels moves the next ts and the read marks of channels behind their
// new messages.
func (w *seeder) finishChannels(all []datedMessage) error {
	done := map[*workingChannel]bool{}
	for _, m := range all {
		if done[m.ch] {
			continue
		}
		done[m.ch] = true
		if err := raiseTS(w.tx, m.ch.Channel, m.ch.last); err != nil {
			return err
		}
		users := make([]string, 0, len(m.ch.members))
		for u, ts := range m.ch.members {
			if ts > 0 {
				users = append(users, u)
			}
		}
		slices.Sort(users)
		for _, u := range users {
			if err := raiseRead(w.tx, m.ch.Channel, u, m.ch.members[u]); err != nil {
				return err
			}
		}
	}
	if len(all) > 0 {
		w.s.changed(w.tx)
	}
	return nil
}
