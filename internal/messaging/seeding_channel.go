package messaging

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/messaging/seed"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// workingChannel is a conversation while a document is being applied.
type workingChannel struct {
	*Channel
	fresh   bool // created by this document
	members map[string]TS
	left    map[string]bool // users who are not members, even if they posted
	taken   map[TS]bool     // in a fresh one, the timestamps in use
	last    TS
}

var channelID = regexp.MustCompile(`^C[A-Z0-9]{8,}$`)

func (w *seeder) seedChannels() error {
	seen := map[string]bool{}
	for i := range w.doc.Channels {
		e := &w.doc.Channels[i]
		if e.Value.Name == "" {
			e.Value.Name = e.Name
		}
		ch, err := w.seedChannel(&e.Value)
		if err != nil {
			return err
		}
		if seen[ch.ID] && e.Value.Kind != "direct" {
			return e.Value.In("name").Refuse("another channel of the document has this name")
		}
		seen[ch.ID] = true
		w.channels[e.Name] = ch
		w.made.Channels[e.Name] = SeededChannel{ch.ID, ch.Name}
	}
	return nil
}

func (w *seeder) seedChannel(in *seed.Channel) (*workingChannel, error) {
	creator := w.owner
	if in.Creator.Name != "" {
		var err error
		if creator, err = w.user(in.Creator); err != nil {
			return nil, err
		}
	}
	members := make([]*User, 0, len(in.Members))
	for _, ref := range in.Members {
		u, err := w.user(ref)
		if err != nil {
			return nil, err
		}
		members = append(members, u)
	}
	if in.Kind == "direct" {
		if len(in.Left) > 0 {
			return nil, in.In("left").Refuse("nobody can leave a direct conversation")
		}
		return w.seedDirect(in, members)
	}
	ch, err := w.namedChannel(in, creator)
	if err != nil {
		return nil, err
	}
	if ch.fresh {
		members = append([]*User{creator}, members...)
	}
	for _, u := range members {
		if err := w.enter(ch, u, in.Created.Or(w.now)); err != nil {
			return nil, err
		}
	}
	if err := w.seedLeft(ch, in); err != nil {
		return nil, err
	}
	return ch, w.label(ch, creator, in)
}

// seedLeft records who has left a channel.
func (w *seeder) seedLeft(ch *workingChannel, in *seed.Channel) error {
	for _, ref := range in.Left {
		u, err := w.user(ref)
		if err != nil {
			return err
		}
		in, err := isMember(w.tx, ch.Channel, u.ID)
		if err != nil {
			return err
		}
		if in {
			return ref.Refuse("is a member of the channel")
		}
		ch.left[u.ID] = true
	}
	return nil
}

// seedDirect opens the direct or group conversation of some members.
func (w *seeder) seedDirect(in *seed.Channel, members []*User) (*workingChannel, error) {
	if len(members) == 0 {
		return nil, in.In("members").Refuse("a direct conversation needs members")
	}
	var ids []string
	for _, u := range members {
		ids = append(ids, u.ID)
	}
	others := ids[1:]
	if len(others) == 0 {
		others = ids // with oneself
	}
	ch, existed, err := w.s.openWith(w.ctx, w.tx, Caller{User: members[0]}, others, false)
	if err != nil {
		return nil, in.In("members").Blame(err)
	}
	return newWorkingChannel(ch, !existed), nil
}

func newWorkingChannel(ch *Channel, fresh bool) *workingChannel {
	return &workingChannel{Channel: ch, fresh: fresh, members: map[string]TS{}, left: map[string]bool{}, taken: map[TS]bool{}}
}

// namedChannel finds a channel by its name, or creates it.
func (w *seeder) namedChannel(in *seed.Channel, creator *User) (*workingChannel, error) {
	id, err := channelIDByName(w.tx, creator.Workspace, in.Name)
	if err != nil {
		return nil, err
	}
	if id != "" {
		ch, err := getChannel(w.tx, creator.Workspace, id)
		switch {
		case err != nil:
			return nil, err
		case in.ID != "" && in.ID != id:
			return nil, in.In("id").Refuse("the channel %s exists and has the id %s", in.Name, id)
		case in.Kind != "" && Kind(in.Kind) != ch.Kind:
			return nil, in.In("kind").Refuse("the channel %s exists and is %s", in.Name, ch.Kind)
		}
		return newWorkingChannel(ch, false), nil
	}
	if err := checkChannelName(in.Name); err != nil {
		return nil, in.In("name").Blame(err)
	}
	if in.ID == "" {
		in.ID = w.s.IDs.Object("C")
	} else if !channelID.MatchString(in.ID) {
		return nil, in.In("id").Refuse("must be C and 8 or more of A-Z and 0-9")
	}
	created := in.Created.Or(w.now)
	ch := &Channel{Workspace: creator.Workspace, ID: in.ID, Kind: Public, Name: in.Name, Creator: creator.ID, Created: created, Updated: created}
	if in.Kind == string(Private) {
		ch.Kind = Private
	}
	made, err := insertChannel(w.tx, ch)
	if err == nil && !made {
		err = in.In("id").Refuse("another channel has this id")
	}
	return newWorkingChannel(ch, true), err
}

// label sets the topic, purpose and archive state that the document contains.
func (w *seeder) label(ch *workingChannel, by *User, in *seed.Channel) error {
	if in.Topic == nil && in.Purpose == nil && !in.Archived {
		return nil
	}
	for name, l := range map[string]struct {
		text *string
		to   *Label
	}{"topic": {in.Topic, &ch.Topic}, "purpose": {in.Purpose, &ch.Purpose}} {
		if l.text == nil {
			continue
		}
		if utf8.RuneCountInString(*l.text) > maxLabel {
			return in.In(name).Refuse("must have at most %d characters", maxLabel)
		}
		*l.to = Label{Value: mrkdwn.Normalize(*l.text, mrkdwn.Options{Parse: mrkdwn.ParseNone}), Creator: by.ID, Set: in.Created.Or(w.now)}
	}
	if in.Archived && ch.IsGeneral {
		return in.In("archived").Blame(CannotArchive)
	}
	ch.Archived = ch.Archived || in.Archived
	ch.Updated = in.Created.Or(w.now)
	return updateChannel(w.tx, ch.Channel, slices.Concat(topicColumns, purposeColumns, archiveColumns)...)
}

// enter makes a user a member of a channel, unless the user has left it.
func (w *seeder) enter(ch *workingChannel, u *User, at int64) error {
	if _, in := ch.members[u.ID]; in || ch.left[u.ID] {
		return nil
	}
	ch.members[u.ID] = 0
	return w.s.enter(w.tx, ch.Channel, u.ID, at)
}

// enter makes a user a member of a channel without a message about it.
func (s *Service) enter(tx *store.Tx, ch *Channel, user string, at int64) error {
	if err := insertMember(tx, ch, user, at); err != nil {
		return err
	}
	s.membersMoved(tx, ch, user, true)
	return nil
}

// channel resolves a reference to a conversation: by the document's name, by id
// or by name.
func (w *seeder) channel(ref seeddoc.Ref) (*workingChannel, error) {
	if ch := w.channels[ref.Name]; ch != nil {
		return ch, nil
	}
	id := ref.Name
	if !conversationID.MatchString(id) {
		var err error
		if id, err = channelIDByName(w.tx, w.owner.Workspace, ref.Name); err != nil {
			return nil, err
		}
	}
	ch, err := getChannel(w.tx, w.owner.Workspace, id)
	if err != nil {
		return nil, err
	}
	if ch == nil {
		return nil, ref.Refuse("there is no channel %q in the document or the workspace", ref.Name)
	}
	for _, known := range w.channels {
		if known.ID == ch.ID {
			w.channels[ref.Name] = known
			return known, nil
		}
	}
	w.channels[ref.Name] = newWorkingChannel(ch, false)
	return w.channels[ref.Name], nil
}
