package acts

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/platform/environment"
)

// made holds the members of the reply to every act.
type made struct {
	RequestSeq []int64 `json:"request_seq" description:"The numbers of the requests that the act has made."`
}

// Requests sets the numbers of the requests that an act made.
func (m *made) Requests(seqs []int64) { m.RequestSeq = seqs }

var _ environment.ActReply = &made{}

type sayRequest struct {
	Channel string          `json:"channel,omitempty" description:"#name, an id, or @handle for a direct message; that of thread when left out."`
	Text    string          `json:"text,omitempty"`
	Blocks  json.RawMessage `json:"blocks,omitempty"`
	Thread  *messageRef     `json:"thread,omitempty" description:"The message to reply to."`
}

type sayReply struct {
	Channel  string  `json:"channel"`
	TS       string  `json:"ts"`
	ThreadTS *string `json:"thread_ts" description:"Of a reply: the ts of its thread."`
	made
}

func (p *Person) say(ctx context.Context, in *sayRequest) (any, error) {
	args := map[string]any{"channel": in.Channel, "text": in.Text}
	if len(in.Blocks) > 0 {
		args["blocks"] = in.Blocks
	}
	out := &sayReply{}
	switch {
	case in.Thread != nil:
		if in.Thread.Channel == "" {
			in.Thread.Channel = in.Channel
		}
		m, err := p.find(ctx, "thread", in.Thread)
		if err != nil {
			return nil, err
		}
		thread := m.ThreadTS
		if thread == "" {
			thread = m.TS
		}
		args["channel"], args["thread_ts"], out.ThreadTS = m.channel, thread, &thread
	case in.Channel == "":
		return nil, noChannel
	case strings.HasPrefix(in.Channel, "@"):
		user, err := p.user(ctx, in.Channel)
		if err != nil {
			return nil, err
		}
		args["channel"] = user
	}
	return out, p.method(ctx, "chat.postMessage", args, out)
}

type tsReply struct {
	TS string `json:"ts"`
	made
}

type editRequest struct {
	Message *messageRef     `json:"message" required:"true"`
	Text    string          `json:"text,omitempty"`
	Blocks  json.RawMessage `json:"blocks,omitempty"`
}

func (p *Person) edit(ctx context.Context, in *editRequest) (any, error) {
	m, err := p.find(ctx, "message", in.Message)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"channel": m.channel, "ts": m.TS, "text": in.Text}
	if len(in.Blocks) > 0 {
		args["blocks"] = in.Blocks
	}
	return &tsReply{TS: m.TS}, p.method(ctx, "chat.update", args, nil)
}

type deleteRequest struct {
	Message *messageRef `json:"message" required:"true"`
}

func (p *Person) remove(ctx context.Context, in *deleteRequest) (any, error) {
	m, err := p.find(ctx, "message", in.Message)
	if err != nil {
		return nil, err
	}
	return &tsReply{TS: m.TS}, p.method(ctx, "chat.delete", map[string]any{"channel": m.channel, "ts": m.TS}, nil)
}

type reactRequest struct {
	Message *messageRef `json:"message" required:"true"`
	Emoji   string      `json:"emoji" required:"true" description:"A name, with or without colons."`
	Remove  bool        `json:"remove,omitempty" description:"Take the reaction back."`
}

func (p *Person) react(ctx context.Context, in *reactRequest) (any, error) {
	m, err := p.find(ctx, "message", in.Message)
	if err != nil {
		return nil, err
	}
	method := "reactions.add"
	if in.Remove {
		method = "reactions.remove"
	}
	return &tsReply{TS: m.TS}, p.method(ctx, method, map[string]any{"channel": m.channel, "timestamp": m.TS, "name": strings.Trim(in.Emoji, ":")}, nil)
}

type channelRequest struct {
	Channel string `json:"channel" required:"true" description:"#name or an id."`
}

type channelReply struct {
	Channel string `json:"channel"`
	made
}

func (p *Person) join(ctx context.Context, in *channelRequest) (any, error) {
	return p.move(ctx, in.Channel, "conversations.join")
}

func (p *Person) leave(ctx context.Context, in *channelRequest) (any, error) {
	return p.move(ctx, in.Channel, "conversations.leave")
}

func (p *Person) move(ctx context.Context, channel, method string) (any, error) {
	id, err := p.conversation(ctx, channel, false)
	if err != nil {
		return nil, err
	}
	return &channelReply{Channel: id}, p.method(ctx, method, map[string]any{"channel": id}, nil)
}

type readRequest struct {
	Channel string `json:"channel" required:"true" description:"#name, an id, or @handle for a direct conversation."`
	UpTo    string `json:"up_to,omitempty" description:"ts of the last message that is read; the newest when left out."`
}

type readReply struct {
	Channel  string `json:"channel"`
	LastRead string `json:"last_read"`
	made
}

func (p *Person) read(ctx context.Context, in *readRequest) (any, error) {
	id, err := p.conversation(ctx, in.Channel, false)
	if err != nil {
		return nil, err
	}
	if in.UpTo == "" {
		newest, err := p.messages(ctx, "/api/client/messages?"+url.Values{"channel": {id}, "limit": {"1"}}.Encode())
		if err != nil {
			return nil, err
		}
		if len(newest) == 0 {
			return &readReply{Channel: id}, nil
		}
		in.UpTo = newest[0].TS
	}
	out := &readReply{}
	return out, p.control(ctx, http.MethodPut, "/api/client/read", map[string]any{"channel": id, "ts": in.UpTo}, out)
}
