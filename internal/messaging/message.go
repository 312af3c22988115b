package messaging

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"understudy/internal/platform/jsontext"
)

// Message is a message as stored: its JSON and the columns that change
// separately.
type Message struct {
	id          int64
	Listed      bool // in the channel's history
	TS          TS
	ThreadTS    TS // of a reply: its parent's ts
	User        string
	Subtype     string
	body        []byte
	metadata    []byte
	reactions   []byte
	replyCount  int64
	replyUsers  string // comma-separated
	latestReply TS
}

// shownReplyUsers is how many authors of replies a parent lists.
const shownReplyUsers = 5

// render holds what depends on the viewer.
type render struct {
	metadata bool
	viewer   string // user id, for subscribed; "" for none
	read     *threadRead
}

// threadRead is how far a viewer has read a thread. Only the parent that
// Service.Replies returns shows it, to who is subscribed.
type threadRead struct {
	last   TS
	unread int64
}

// JSON returns the message as the viewer sees it. The result must not be changed.
func (m *Message) JSON(viewer string, metadata bool) []byte {
	r := render{metadata: metadata, viewer: viewer}
	if m.isBody(r) {
		return m.body[:len(m.body):len(m.body)]
	}
	return m.appendJSON(make([]byte, 0, len(m.body)+256), r)
}

// isBody reports whether the JSON of the message is its body, without additions.
func (m *Message) isBody(r render) bool {
	return m.replyCount == 0 && len(m.reactions) == 0 && (!r.metadata || len(m.metadata) == 0)
}

func (m *Message) appendJSON(b []byte, r render) []byte {
	if m.isBody(r) {
		return append(b, m.body...)
	}
	b = append(b, m.body[:len(m.body)-1]...)
	if m.replyCount > 0 {
		b = m.appendThread(b, r)
	}
	if len(m.reactions) > 0 {
		b = append(b, `,"reactions":`...)
		b = append(b, m.reactions...)
	}
	if r.metadata && len(m.metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = append(b, m.metadata...)
	}
	return append(b, '}')
}

func (m *Message) appendThread(b []byte, r render) []byte {
	users := strings.Split(m.replyUsers, ",")
	subscribed := m.User == r.viewer
	b = append(b, `,"thread_ts":"`...)
	b = m.TS.append(b)
	b = append(b, `","reply_count":`...)
	b = strconv.AppendInt(b, m.replyCount, 10)
	b = append(b, `,"reply_users_count":`...)
	b = strconv.AppendInt(b, int64(len(users)), 10)
	b = append(b, `,"latest_reply":"`...)
	b = m.latestReply.append(b)
	b = append(b, `","reply_users":[`...)
	for i, u := range users {
		subscribed = subscribed || u == r.viewer
		if i >= shownReplyUsers {
			continue
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.Append(b, u)
	}
	b = append(b, `],"is_locked":false,"subscribed":`...)
	if r.viewer == "" {
		return b[:len(b)-len(`,"subscribed":`)] // events have no viewer
	}
	b = strconv.AppendBool(b, subscribed)
	if subscribed && r.read != nil {
		b = append(b, `,"last_read":"`...)
		b = r.read.last.append(b)
		b = append(b, `","unread_count":`...)
		b = strconv.AppendInt(b, r.read.unread, 10)
	}
	return b
}

// bodyWriter encodes the JSON of a message, member by member.
type bodyWriter struct{ b []byte }

func (w *bodyWriter) raw(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	w.b = append(w.b, ',', '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
	w.b = append(w.b, value...)
}

func (w *bodyWriter) text(name, value string) {
	if value == "" {
		return
	}
	w.b = append(w.b, ',', '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
	w.b = jsontext.Append(w.b, value)
}

func (w *bodyWriter) ts(name string, ts TS) {
	w.b = append(w.b, ',', '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, `":"`...)
	w.b = ts.append(w.b)
	w.b = append(w.b, '"')
}

// author is the author of a message, as its JSON has it.
type author struct {
	team     string
	user     string // "" for a message with a custom author
	botID    string
	appID    string
	botName  string
	updated  int64 // microseconds
	username string
	icons    []byte
}

func (s *Service) authorOf(u *User) author {
	a := author{team: u.Workspace, user: u.ID}
	if u.IsBot() {
		a.botID, a.appID, a.botName, a.updated = u.BotID, u.AppID, u.Profile.RealName, u.Created
	}
	return a
}

// place is the position of a message in a thread.
type place struct {
	threadTS   TS
	parentUser string
	root       []byte // of a broadcast reply: its parent
	broadcast  bool
}

// bodyOf returns the JSON of a message.
func bodyOf(a author, ts TS, subtype string, c *content, p place, edited []byte) []byte {
	room := 160 + len(c.text) + len(c.blocks) + len(c.attachments) + len(edited) + len(p.root) // enough for most
	if a.botID != "" {
		room += 400
	}
	w := bodyWriter{b: append(make([]byte, 0, room), `{"type":"message"`...)}
	w.text("subtype", subtype)
	w.text("user", a.user)
	w.b = append(w.b, `,"text":`...)
	w.b = jsontext.Append(w.b, c.text)
	w.ts("ts", ts)
	if subtype != threadBroadcast {
		w.text("team", a.team)
	}
	w.text("client_msg_id", c.clientMsgID)
	if a.botID != "" {
		w.text("bot_id", a.botID)
		w.text("app_id", a.appID)
		w.b = append(w.b, `,"is_bot":true`...)
		if a.user != "" {
			w.botProfile(a)
		}
	}
	w.text("username", a.username)
	w.raw("icons", a.icons)
	w.raw("blocks", c.blocks)
	w.raw("attachments", c.attachments)
	w.raw("edited", edited)
	if p.threadTS > 0 {
		w.ts("thread_ts", p.threadTS)
		w.text("parent_user_id", p.parentUser)
	}
	w.raw("root", p.root)
	return append(w.b, '}')
}

func (w *bodyWriter) botProfile(a author) {
	w.b = append(w.b, `,"bot_profile":{"id":`...)
	w.b = jsontext.Append(w.b, a.botID)
	w.text("app_id", a.appID)
	w.text("user_id", a.user)
	w.text("name", a.botName)
	w.b = append(w.b, `,"icons":{"image_36":"https://avatars.invalid/bot-36.png","image_48":"https://avatars.invalid/bot-48.png",`+
		`"image_72":"https://avatars.invalid/bot-72.png"},"deleted":false,"updated":`...)
	w.b = strconv.AppendInt(w.b, a.updated/1e6, 10)
	w.text("team_id", a.team)
	w.b = append(w.b, '}')
}

// eventOf returns a message as an event: its JSON with the channel and the time.
func eventOf(message []byte, ch *Channel, ts TS) []byte {
	b := make([]byte, 0, len(message)+96)
	b = append(b, message[:len(message)-1]...)
	b = append(b, `,"channel":"`...)
	b = append(b, ch.ID...)
	b = append(b, `","channel_type":"`...)
	b = append(b, ch.eventType()...)
	b = append(b, `","event_ts":"`...)
	b = ts.append(b)
	return append(b, `"}`...)
}

// eventType is the channel_type of message events.
func (ch *Channel) eventType() string {
	switch ch.Kind {
	case Private:
		return "group"
	case MPIM:
		return "mpim"
	case IM:
		return "im"
	}
	return "channel"
}

// marshal encodes without HTML escapes, like everything on the wire.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// botID returns the bot of a message with a custom author.
func (m *Message) botID() string {
	if !bytes.Contains(m.body, []byte(`"bot_id"`)) {
		return ""
	}
	var old stored
	_ = unmarshalBody(m.body, &old)
	return old.BotID
}

// unmarshalBody parses the JSON of a message, which this service wrote.
func unmarshalBody(body []byte, into *stored) error { return json.Unmarshal(body, into) }
