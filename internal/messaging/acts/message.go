package acts

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/verdict/match"
)

// messageRef names a message: by channel and ts, or as the newest of a channel
// with a given author and text.
type messageRef struct {
	Channel string          `json:"channel,omitempty" description:"#name, an id, or @handle for a direct conversation."`
	TS      string          `json:"ts,omitempty"`
	From    string          `json:"from,omitempty" description:"@handle, id or e-mail address of who wrote it."`
	Text    json.RawMessage `json:"text,omitempty" description:"A matcher: a text, or an object such as {\"contains\": \"Approve\"}."`
}

// message is a message as its person sees it.
type message struct {
	channel string
	alone   bool // ephemeral
	json    json.RawMessage
	written
}

// written is the part of a message that acts read.
type written struct {
	TS          string          `json:"ts"`
	ThreadTS    string          `json:"thread_ts"`
	User        string          `json:"user"`
	BotID       string          `json:"bot_id"`
	AppID       string          `json:"app_id"`
	Text        string          `json:"text"`
	Blocks      json.RawMessage `json:"blocks"`
	ReplyCount  int             `json:"reply_count"`
	LatestReply string          `json:"latest_reply"`
}

// TextMatcher matches the text of a message: as stored, or as a reader sees text
// and blocks.
type TextMatcher struct {
	matcher *match.Matcher
	now     time.Time
}

// newTextMatcher parses the matcher of a request; an absent one matches
// everything.
func newTextMatcher(field string, raw json.RawMessage, now time.Time) (TextMatcher, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return TextMatcher{}, nil
	}
	m, err := match.Parse(field, raw)
	return TextMatcher{m, now}, err
}

func (t TextMatcher) matches(text string, blocks []byte) bool {
	if t.matcher == nil {
		return true
	}
	e := match.Env{Now: t.now}
	return t.matcher.Matches(text, e) || t.matcher.Matches(strings.TrimSpace(mrkdwn.Plain(text)), e) ||
		len(blocks) > 0 && t.matcher.Matches(mrkdwn.PlainText(blocks), e)
}

const (
	// maxSearched is how many messages of a conversation are searched for a match.
	maxSearched = 1000
	window      = 500
	maxThreads  = 50
)

var (
	badMessage = fault.New(fault.Invalid, "invalid_value", "must name a message: channel and ts, or channel and text")
	bothForms  = badMessage.Detailf("must have either ts, or from and text, not both")
)

// find returns the message that a reference names. It returns MessageNotFound.
func (p *finder) find(ctx context.Context, field string, ref *messageRef) (message, error) {
	switch {
	case ref == nil, ref.Channel == "", ref.TS == "" && ref.From == "" && len(ref.Text) == 0:
		return message{}, badMessage.At(field)
	case ref.TS != "" && (ref.From != "" || len(ref.Text) > 0):
		return message{}, bothForms.At(field)
	}
	channel, err := p.conversation(ctx, ref.Channel, false)
	if err != nil {
		return message{}, invisible(err)
	}
	wants := func(written) bool { return true }
	if ref.TS == "" {
		if wants, err = p.wants(ctx, field, ref); err != nil {
			return message{}, err
		}
	}
	m, err := p.shown(ctx, channel, ref.TS, wants)
	if err != nil {
		return message{}, err
	}
	var standing message
	if ref.TS != "" {
		standing, err = p.at(ctx, channel, ref.TS)
	} else {
		standing, err = p.newest(ctx, channel, wants)
	}
	if errors.Is(err, MessageNotFound) && m.TS != "" {
		return m, nil
	}
	if err != nil || m.TS == "" || standing.TS > m.TS {
		return standing, err
	}
	return m, nil
}

// invisible returns MessageNotFound for the error of a conversation that the
// person cannot see.
func invisible(err error) error {
	if e, ok := fault.As(err); ok && e.Kind == fault.Unprocessable &&
		slices.Contains([]fault.Reason{"channel_not_found", "user_not_found", "not_in_channel", "thread_not_found"}, e.Reason) {
		return MessageNotFound
	}
	return err
}

// wants returns the condition of a reference without a ts.
func (p *finder) wants(ctx context.Context, field string, ref *messageRef) (func(written) bool, error) {
	text, err := newTextMatcher(field+".text", ref.Text, p.now)
	if err != nil {
		return nil, err
	}
	from := ""
	if ref.From != "" {
		if from, err = p.user(ctx, ref.From); err != nil {
			return nil, err
		}
	}
	return func(m written) bool {
		return (from == "" || m.User == from || m.BotID == from) && text.matches(m.Text, m.Blocks)
	}, nil
}

// shown returns the newest ephemeral message of a conversation that has ts or,
// without one, that wants accepts. Its TS is "" for none.
func (p *finder) shown(ctx context.Context, channel, ts string, wants func(written) bool) (message, error) {
	items, err := p.alone(ctx)
	if err != nil {
		return message{}, err
	}
	for _, i := range items {
		var m written
		if i.Channel != channel || ts != "" && i.TS != ts || json.Unmarshal(i.Body, &m) != nil || !wants(m) {
			continue
		}
		return message{channel: channel, alone: true, json: i.Body, written: m}, nil
	}
	return message{}, nil
}

// at returns the message of a conversation at a ts.
func (p *finder) at(ctx context.Context, channel, ts string) (message, error) {
	q := url.Values{"channel": {channel}, "ts": {ts}, "oldest": {ts}, "latest": {ts}, "inclusive": {"true"}, "include_all_metadata": {"true"}}
	found, err := p.messages(ctx, "/api/conversations.replies?"+q.Encode())
	if err != nil {
		return message{}, invisible(err)
	}
	for _, m := range found {
		if m.TS == ts {
			m.channel = channel
			return m, nil
		}
	}
	return message{}, MessageNotFound
}

func (p *finder) messages(ctx context.Context, path string) (out []message, err error) {
	var page struct{ Messages []json.RawMessage }
	if err := p.look(ctx, path, &page); err != nil {
		return nil, err
	}
	for _, raw := range page.Messages {
		m := message{json: raw}
		if err := json.Unmarshal(raw, &m.written); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// newest returns the newest message of a conversation or of its threads that
// wants accepts.
func (p *finder) newest(ctx context.Context, channel string, wants func(written) bool) (found message, err error) {
	var threads []message
	before := ""
	for looked := 0; looked < maxSearched; looked += window {
		q := url.Values{"channel": {channel}, "limit": {"500"}}
		if before != "" {
			q.Set("before", before)
		}
		page, err := p.messages(ctx, "/api/client/messages?"+q.Encode())
		if err != nil {
			return found, invisible(err)
		}
		for _, m := range slices.Backward(page) {
			if m.channel = channel; found.TS == "" && wants(m.written) {
				found = m
			}
			if m.ReplyCount > 0 {
				threads = append(threads, m)
			}
		}
		if len(page) < window {
			break
		}
		before = page[0].TS
	}
	slices.SortStableFunc(threads, func(a, b message) int { return strings.Compare(b.LatestReply, a.LatestReply) })
	for i, parent := range threads {
		if i == maxThreads || parent.LatestReply <= found.TS {
			break
		}
		q := url.Values{"channel": {channel}, "thread_ts": {parent.TS}, "limit": {"500"}}
		replies, err := p.messages(ctx, "/api/client/messages?"+q.Encode())
		if err != nil {
			return found, invisible(err)
		}
		for _, m := range slices.Backward(replies) {
			if m.TS <= found.TS {
				break
			}
			if m.channel = channel; wants(m.written) {
				found = m
				break
			}
		}
	}
	if found.TS == "" {
		err = MessageNotFound
	}
	return found, err
}
