package understudytest

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// Person is somebody of a world. Each method is what they do by one call.
type Person struct {
	w     *World
	path  string
	query url.Values
}

// Person returns somebody: the service and an id, handle or e-mail address, such
// as messaging/jon.abel. Without a service it is messaging. tenant chooses among
// several workspaces.
func (w *World) Person(name string, tenant ...string) *Person {
	service, who, ok := strings.Cut(name, "/")
	if !ok {
		service, who = "messaging", name
	}
	p := &Person{w: w, path: "/people/" + escape(service) + "/" + escape(who), query: url.Values{}}
	if len(tenant) > 0 {
		p.query.Set("tenant", tenant[0])
	}
	return p
}

func (p *Person) address(what string, more url.Values) string {
	q := maps.Clone(p.query)
	maps.Copy(q, more)
	return p.w.path(p.path + "/" + what + "?" + q.Encode())
}

// Act does any act by its name and decodes the reply into what into points to.
// It returns an *Error when the act is refused; the other methods end the test then.
func (p *Person) Act(name string, body, into any) error {
	return p.w.server.call("POST", p.address(escape(name), nil), body, into)
}

func (p *Person) act(name string, body fields, into any) {
	p.w.t.Helper()
	if err := p.Act(name, body, into); err != nil {
		p.w.t.Fatal("understudytest: ", err)
	}
}

// fields are the members of a request; those that are empty are left out.
type fields map[string]any

func (f fields) with(name string, value any) fields {
	switch v := value.(type) {
	case nil:
		return f
	case string:
		if v == "" {
			return f
		}
	case *Message:
		if v == nil {
			return f
		}
	}
	f[name] = value
	return f
}

// Message names a message: by TS, or the newest of the channel that matches.
type Message struct {
	Channel string `json:"channel"`
	TS      string `json:"ts,omitempty"`
	From    string `json:"from,omitempty"`
	Text    any    `json:"text,omitempty"` // a text, or a Match
}

// Said is a message that somebody has posted.
type Said struct {
	Channel    string  `json:"channel"`
	TS         string  `json:"ts"`
	ThreadTS   string  `json:"thread_ts"`
	RequestSeq []int64 `json:"request_seq"`
}

// Message returns the message's place.
func (s Said) Message() Message { return Message{Channel: s.Channel, TS: s.TS} }

// Say posts into a channel: #name, an id, or @handle.
func (p *Person) Say(channel, text string) (out Said) {
	p.w.t.Helper()
	p.act("say", fields{"channel": channel, "text": text}, &out)
	return out
}

// Reply posts into the thread of a message.
func (p *Person) Reply(thread Message, text string) (out Said) {
	p.w.t.Helper()
	p.act("say", fields{"thread": thread, "text": text}, &out)
	return out
}

// Edit changes the text of a message.
func (p *Person) Edit(message Message, text string) (out Said) {
	p.w.t.Helper()
	p.act("edit", fields{"message": message, "text": text}, &out)
	return out
}

// Delete removes a message.
func (p *Person) Delete(message Message) (out Said) {
	p.w.t.Helper()
	p.act("delete", fields{"message": message}, &out)
	return out
}

// React adds a reaction to a message.
func (p *Person) React(message Message, emoji string) (out Said) {
	p.w.t.Helper()
	p.act("react", fields{"message": message, "emoji": emoji}, &out)
	return out
}

// Unreact removes a reaction from a message.
func (p *Person) Unreact(message Message, emoji string) (out Said) {
	p.w.t.Helper()
	p.act("react", fields{"message": message, "emoji": emoji, "remove": true}, &out)
	return out
}

// Acted is what an app was sent, and what it answered at once.
type Acted struct {
	AppID      string          `json:"app_id"`
	Action     json.RawMessage `json:"action"`
	Response   json.RawMessage `json:"response"` // null for none
	RequestSeq []int64         `json:"request_seq"`
}

// Click clicks a button of a message.
func (p *Person) Click(message Message, actionID string) (out Acted) {
	p.w.t.Helper()
	p.act("click", fields{"message": message, "action_id": actionID}, &out)
	return out
}

// Choose chooses in a menu, a calendar and so on of a message.
func (p *Person) Choose(message Message, actionID string, values ...string) (out Acted) {
	p.w.t.Helper()
	p.act("choose", fields{"message": message, "action_id": actionID, "values": values}, &out)
	return out
}

// Shortcut uses a shortcut of an app, on a message unless that is nil.
func (p *Person) Shortcut(callbackID string, message *Message) (out Acted) {
	p.w.t.Helper()
	p.act("shortcut", fields{"callback_id": callbackID}.with("message", message), &out)
	return out
}

// Run runs a slash command in a channel: /deploy prod.
func (p *Person) Run(command, channel string) (out Acted) {
	p.w.t.Helper()
	p.act("run", fields{"command": command, "channel": channel}, &out)
	return out
}

// Join joins a channel and returns its id.
func (p *Person) Join(channel string) string {
	p.w.t.Helper()
	var out Said
	p.act("join", fields{"channel": channel}, &out)
	return out.Channel
}

// Leave leaves a channel.
func (p *Person) Leave(channel string) {
	p.w.t.Helper()
	p.act("leave", fields{"channel": channel}, nil)
}

// Read reads a channel up to a ts, all of it when that is empty, and returns the ts of the last message that was read.
func (p *Person) Read(channel, upTo string) string {
	p.w.t.Helper()
	var out struct {
		LastRead string `json:"last_read"`
	}
	p.act("read", fields{"channel": channel}.with("up_to", upTo), &out)
	return out.LastRead
}

// Session is a token to act as somebody with an official client.
type Session struct {
	Service   string `json:"service"`
	Kind      string `json:"kind"`
	Token     string `json:"token"`
	BaseURL   string `json:"base_url"`
	ExpiresAt string `json:"expires_at"`
}

// Session returns a token of a kind; the service's usual one when that is empty.
func (p *Person) Session(kind string) (out Session) {
	p.w.t.Helper()
	p.act("session", fields{}.with("kind", kind), &out)
	return out
}

// Item is something that popped up for somebody.
type Item struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"` // message, ephemeral, response, mention or direct
	Channel  string          `json:"channel"`
	TS       string          `json:"ts"`
	ThreadTS string          `json:"thread_ts"`
	From     string          `json:"from"`
	Text     string          `json:"text"`
	Blocks   json.RawMessage `json:"blocks"`
	Seq      int64           `json:"seq"`
}

// Message returns the place of the message that popped up.
func (i Item) Message() Message { return Message{Channel: i.Channel, TS: i.TS} }

// Inbox returns the newest items that popped up, limit at most.
func (p *Person) Inbox(limit int) []Item {
	p.w.t.Helper()
	var out struct{ Items []Item }
	if err := p.w.server.call("GET", p.address("inbox", url.Values{"limit": {strconv.Itoa(limit)}}), nil, &out); err != nil {
		p.w.t.Fatal("understudytest: ", err)
	}
	return out.Items
}

// Wanted is what Wait waits for; what is empty does not matter.
type Wanted struct {
	Kind      string
	Channel   string
	From      string
	Thread    string // ts of its first message
	Text      any    // a text, or a Match
	TimeoutMS int64  // 10,000 when it is 0
}

// Wait waits for the first thing that fits of what came after the person's last
// act, however early it came. It ends the test when nothing came in time.
func (p *Person) Wait(wanted Wanted) Item {
	p.w.t.Helper()
	item, err := p.TryWait(wanted)
	if err != nil {
		p.w.t.Fatal("understudytest: ", err)
	}
	return item
}

// TryWait is Wait that returns an *Error with the code timed_out when nothing came in time.
func (p *Person) TryWait(wanted Wanted) (Item, error) {
	body := fields{"for": fields{}.with("kind", wanted.Kind).with("channel", wanted.Channel).with("from", wanted.From).
		with("thread", wanted.Thread).with("text", wanted.Text)}
	if wanted.TimeoutMS > 0 {
		body["timeout_ms"] = wanted.TimeoutMS
	}
	var out struct{ Item Item }
	err := p.Act("wait", body, &out)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == "timed_out" {
		refused.Message = "nothing of the kind came in time. " + refused.Message
	}
	return out.Item, err
}
