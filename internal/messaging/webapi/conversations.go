package webapi

import (
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/args"
)

// channel reads the argument channel.
func (c *call) channel() (string, error) {
	id := c.text("channel")
	if id == "" {
		return "", args.Missing("channel")
	}
	return id, nil
}

var kindsByType = map[string]messaging.Kind{"public_channel": messaging.Public, "private_channel": messaging.Private,
	"mpim": messaging.MPIM, "im": messaging.IM}

func listConversations(c *call) (*reply, error) {
	types, given := c.args.List("types")
	if !given {
		types = []string{"public_channel"}
	}
	var in messaging.ListChannels
	for _, t := range types {
		k, known := kindsByType[t]
		if !known {
			return nil, invalidTypes
		}
		if err := c.allow(k); err != nil {
			return nil, err
		}
		in.Kinds = append(in.Kinds, k)
	}
	var err error
	if in.Limit, err = c.pageSize(100, 999, true); err != nil {
		return nil, err
	}
	if in.After, err = c.cursor("team", "im_id"); err != nil {
		return nil, err
	}
	in.ExcludeArchived = c.args.Bool("exclude_archived", false)
	found, more, err := c.service.ListChannels(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(found))
	for i, ch := range found {
		out[i] = c.conversation(ch, view{members: true})
	}
	next := ""
	if more {
		last := found[len(found)-1]
		kind := "team"
		if strings.HasPrefix(last.ID, "D") {
			kind = "im_id"
		}
		next = encodeCursor(kind, last.ID)
	}
	return ok().value("channels", out).next(next), nil
}

func createConversation(c *call) (*reply, error) {
	in := messaging.CreateChannel{Name: c.text("name"), Private: c.args.Bool("is_private", false)}
	ch, err := c.service.CreateChannel(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	return ok().value("channel", c.conversation(ch, view{fresh: true})), nil
}

func conversationInfo(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	ch, err := c.service.Channel(c.r.Context(), c.caller, id)
	if err != nil {
		return nil, err
	}
	v := view{members: c.args.Bool("include_num_members", false)}
	if c.args.Bool("include_locale", false) {
		v.locale = "en-US"
	}
	if ch.Kind == messaging.IM || ch.Kind == messaging.MPIM {
		v.opened = true
		if v.unread, v.latest, err = c.service.Unread(c.r.Context(), ch); err != nil {
			return nil, err
		}
	}
	return ok().value("channel", c.conversation(ch, v)), nil
}

// bounds reads oldest and latest; "0" and "now" mean no bound.
func (c *call) bounds() (oldest, latest messaging.TS, err error) {
	read := func(name string, refuse error) (messaging.TS, error) {
		text := c.text(name)
		if text == "" || text == "now" {
			return 0, nil
		}
		ts, valid := messaging.ParseTS(text)
		if !valid {
			return 0, refuse
		}
		return ts, nil
	}
	if latest, err = read("latest", invalidTSLatest); err != nil {
		return 0, 0, err
	}
	oldest, err = read("oldest", invalidTSOldest)
	return oldest, latest, err
}

func history(c *call) (*reply, error) {
	in := messaging.History{Inclusive: c.args.Bool("inclusive", false), Metadata: c.args.Bool("include_all_metadata", false)}
	var err error
	if in.Channel, err = c.channel(); err != nil {
		return nil, err
	}
	bad := c.readRange(&in.Oldest, &in.Latest, &in.Before)
	if in.Limit, err = c.pageSize(100, 999, false); err != nil {
		return nil, err
	}
	r := borrow()
	p, err := c.service.History(c.r.Context(), c.caller, in, append(r.b, `,"messages":[`...))
	if err == nil {
		err = bad
	}
	if err != nil {
		r.giveBack()
		return nil, err
	}
	r.b = append(p.Messages, ']')
	r.flag("has_more", p.More)
	r.raw("pin_count", []byte("0")).raw("channel_actions_ts", []byte("null")).raw("channel_actions_count", []byte("0"))
	for _, name := range []string{"oldest", "latest"} {
		if text := c.text(name); text != "" {
			r.text(name, text)
		}
	}
	if p.More {
		r.next(cursorOf(p.Next))
	}
	return r, nil
}

// readRange reads the bounds and the cursor. The caller reports its error only
// after those of the channel, as upstream does.
func (c *call) readRange(oldest, latest, cursor *messaging.TS) (err error) {
	if *oldest, *latest, err = c.bounds(); err != nil {
		return err
	}
	*cursor, err = c.cursorTS()
	return err
}

func replies(c *call) (*reply, error) {
	in := messaging.Replies{Channel: c.text("channel"), Inclusive: c.args.Bool("inclusive", false), Metadata: c.args.Bool("include_all_metadata", false)}
	bad := c.readRange(&in.Oldest, &in.Latest, &in.After)
	var err error
	if in.Limit, err = c.pageSize(1000, 1000, false); err != nil {
		return nil, err
	}
	in.TS, _ = messaging.ParseTS(c.text("ts"))
	p, err := c.service.Replies(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	if bad != nil {
		return nil, bad
	}
	r := ok().array("messages", p.Messages).flag("has_more", p.More)
	if p.More {
		r.next(cursorOf(p.Next))
	}
	return r, nil
}

func members(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	limit, badLimit := c.pageSize(100, 999, true)
	after, badCursor := c.cursor("user_id")
	found, more, err := c.service.Members(c.r.Context(), c.caller, id, after, max(limit, 1))
	switch {
	case err != nil:
		return nil, err
	case badLimit != nil:
		return nil, badLimit
	case badCursor != nil:
		return nil, badCursor
	}
	next := ""
	if more {
		next = encodeCursor("user_id", found[len(found)-1])
	}
	return ok().value("members", append([]string{}, found...)).next(next), nil
}
