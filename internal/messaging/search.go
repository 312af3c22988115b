package messaging

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// Search is a search for messages.
type Search struct {
	Query     string
	Offset    int // number of matches before the page
	Count     int
	ByTime    bool // otherwise by relevance
	Ascending bool
	Highlight bool
}

// Found is a page of the matches of a search.
type Found struct {
	Total   int // at most searchWindow
	Matches []Match
	End     int // number of matches before the next page; the page may end before it has Count
}

// Match is a message that a search found.
type Match struct {
	Channel             *Channel
	TS                  TS
	ThreadTS            TS
	User                string
	Username            string
	Blocks, Attachments json.RawMessage
	Text                string // highlighted if requested
	Link                string
	Reacted             bool
}

// rankedAtMost is the largest number of matches that are sorted by relevance. If
// there are more, the newest come first, because ranking all of them would take
// too long.
const rankedAtMost = 1000

// Search finds messages that the caller can see: in public channels and in their
// own conversations. It finds every message posted before the call. It returns
// NoQuery.
func (s *Service) Search(ctx context.Context, c Caller, in Search) (out Found, err error) {
	q := searchquery.Parse(emoji.Names(in.Query), s.Clock.Now())
	if strings.TrimSpace(in.Query) == "" {
		return out, NoQuery
	}
	if q.Empty() {
		return out, nil // punctuation alone names nobody
	}
	if err := s.shortenTail(ctx); err != nil {
		return out, err
	}
	team, err := s.Workspace(ctx, c)
	if err != nil {
		return out, err
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		plan, err := s.plan(tx, c, &q)
		if err != nil {
			return err
		}
		ids, total, err := findMessages(tx, plan, in.Ascending, min(in.Offset+in.Count, searchWindow))
		if err != nil {
			return err
		}
		if !in.ByTime && len(plan.all) > 0 && total <= rankedAtMost && total > 1 {
			if ids, err = rank(tx, plan.all, ids, in.Ascending); err != nil {
				return err
			}
		}
		out.Total = total
		from := min(in.Offset, len(ids))
		rows, taken, err := messagesWithin(tx, budget.NewPage(ctx), ids[from:min(from+in.Count, len(ids))])
		if err != nil {
			return err
		}
		out.End = from + taken
		out.Matches, err = s.matches(tx, c, team, rows)
		return err
	})
	if in.Highlight {
		for i := range out.Matches {
			out.Matches[i].Text = searchquery.Highlight(out.Matches[i].Text, &q)
		}
	}
	return out, err
}

func (s *Service) matches(tx *store.Tx, c Caller, team *Workspace, rows []*found) ([]Match, error) {
	channels := map[string]*Channel{}
	out := make([]Match, 0, len(rows))
	for _, f := range rows {
		ch := channels[f.channel]
		if ch == nil {
			var err error
			if ch, err = getChannelFor(tx, c.Workspace, f.channel, c.ID); err != nil {
				return nil, err
			}
			channels[f.channel] = ch
		}
		m := f.message
		var shown stored
		if err := unmarshalBody(m.body, &shown); err != nil {
			return nil, err
		}
		username := shown.Username
		if username == "" {
			if u, err := getUser(tx, c.Workspace, m.User); err != nil {
				return nil, err
			} else if u != nil {
				username = u.Name
			}
		}
		out = append(out, Match{Channel: ch, TS: m.TS, ThreadTS: m.ThreadTS, User: m.User, Username: username, Blocks: shown.Blocks, Attachments: shown.Attachments,
			Text: shown.Text, Link: s.Permalink(team, ch.ID, m.TS, m.ThreadTS), Reacted: len(m.reactions) > 0})
	}
	return out, nil
}

// Permalink returns the URL of a message.
func (s *Service) Permalink(team *Workspace, channel string, ts, threadTS TS) string {
	link := s.WorkspaceURL(team.Domain) + "archives/" + channel + "/p" + strings.Replace(ts.String(), ".", "", 1)
	if threadTS > 0 {
		link += "?thread_ts=" + threadTS.String() + "&cid=" + channel
	}
	return link
}

// plan resolves the names of a query.
func (s *Service) plan(tx *store.Tx, c Caller, q *searchquery.Query) (*searchPlan, error) {
	p := &searchPlan{workspace: c.Workspace, viewer: c.ID, all: q.All, none: q.None, oldest: TS(q.Oldest), latest: TS(q.Latest), notAt: q.NotAt}
	find := func(names []string, in func(*store.Tx, Caller, string) ([]string, error), must bool) (out []string, err error) {
		for _, name := range names {
			ids, err := in(tx, c, name)
			if err != nil {
				return nil, err
			}
			out = append(out, ids...)
		}
		if must && len(names) > 0 && len(out) == 0 {
			p.nothing = true
		}
		return out, nil
	}
	for _, list := range []struct {
		names []string
		into  *[]string
		find  func(*store.Tx, Caller, string) ([]string, error)
		must  bool
	}{
		{q.In, &p.channels, s.findPlace, true}, {q.From, &p.authors, s.findPeople, true}, {q.Want.With, &p.want.with, s.findPeople, true},
		{q.Want.To, &p.want.to, s.findPeople, true}, {q.Not.To, &p.not.to, s.findPeople, false},
		{q.NotIn, &p.notIn, s.findPlace, false}, {q.NotFrom, &p.notBy, s.findPeople, false}, {q.Not.With, &p.not.with, s.findPeople, false},
	} {
		var err error
		if *list.into, err = find(list.names, list.find, list.must); err != nil {
			return nil, err
		}
	}
	p.want.read(&q.Want)
	p.not.read(&q.Not)
	return p, nil
}

// read copies the traits that need no look-up. Pins, files, stars and saved
// messages do not exist here, so no message has them.
func (t *traits) read(from *searchquery.Traits) {
	t.has, t.is = from.Has, from.Is
	t.emoji, t.mine = canonicalEmoji(from.HasEmoji), canonicalEmoji(from.HasMine)
}

func canonicalEmoji(names []string) (out []string) {
	for _, name := range names {
		if canonical, ok := emoji.Canonical(name); ok {
			name = canonical
		}
		out = append(out, name)
	}
	return out
}

var linkForm = regexp.MustCompile(`^<([#@])([A-Z0-9]+)(?:\|[^>]*)?>$`)

// findPeople returns the ids of the users with an id or a handle, or, if nobody
// has the handle, with a display name or real name.
func (s *Service) findPeople(tx *store.Tx, c Caller, name string) ([]string, error) {
	if strings.EqualFold(strings.TrimPrefix(name, "@"), "me") {
		return []string{c.ID}, nil
	}
	if m := linkForm.FindStringSubmatch(name); m != nil {
		name = m[2]
	}
	name = strings.TrimPrefix(name, "@")
	if userID.MatchString(name) {
		u, err := getUser(tx, c.Workspace, name)
		if err != nil || u == nil {
			return nil, err
		}
		return []string{u.ID}, nil
	}
	u, err := userByName(tx, c.Workspace, strings.ToLower(name))
	if err != nil {
		return nil, err
	}
	if u != nil {
		return []string{u.ID}, nil
	}
	everyone, err := everyUser(tx, c.Workspace)
	var out []string
	for _, u := range everyone {
		if strings.EqualFold(u.Profile.DisplayName, name) || strings.EqualFold(u.Profile.RealName, name) {
			out = append(out, u.ID)
		}
	}
	return out, err
}

// findPlace returns the ids of the conversations with a name: a channel, or the
// direct conversations with users.
func (s *Service) findPlace(tx *store.Tx, c Caller, name string) ([]string, error) {
	if m := linkForm.FindStringSubmatch(name); m != nil {
		name = m[1] + m[2]
	}
	if person, ok := strings.CutPrefix(name, "@"); ok {
		people, err := s.findPeople(tx, c, person)
		var out []string
		for _, id := range people {
			ids := []string{c.ID, id}
			if c.ID > id {
				ids = []string{id, c.ID}
			}
			ch, err := channelByMembers(tx, c.Workspace, strings.Join(ids, ","), c.ID)
			if err != nil {
				return nil, err
			}
			if ch != nil {
				out = append(out, ch.ID)
			}
		}
		return out, err
	}
	name = strings.TrimPrefix(name, "#")
	if conversationID.MatchString(name) {
		return []string{name}, nil
	}
	id, err := channelIDByName(tx, c.Workspace, strings.ToLower(name))
	if err != nil || id == "" {
		return nil, err
	}
	return []string{id}, nil
}
