package callback

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/messaging/interactive"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/outbound"
)

// Sender sends forms to apps.
type Sender struct {
	Client *outbound.Client
	// ResponseURL returns the address for the secret of a response_url.
	ResponseURL func(secret string) string
}

// channelName is the name of a conversation in forms.
func channelName(ch *messaging.Channel) string {
	switch ch.Kind {
	case messaging.IM:
		return "directmessage"
	case messaging.Private:
		return "privategroup"
	}
	return ch.Name
}

// Command sends a slash command and returns the app's reply. It returns failed if
// the app cannot be reached or replies with an error.
func (s Sender) Command(ctx context.Context, c messaging.Caller, in *messaging.Invocation, failed *fault.Error) (outbound.Reply, error) {
	form := url.Values{"token": {in.Secrets.VerificationToken}, "team_id": {c.Workspace}, "team_domain": {in.Team.Domain},
		"channel_id": {in.Channel.ID}, "channel_name": {channelName(in.Channel)}, "user_id": {c.ID}, "user_name": {c.Name},
		"command": {in.Command.Command}, "text": {in.Text}, "api_app_id": {in.App.ID}, "is_enterprise_install": {"false"},
		"response_url": {s.ResponseURL(in.Response)}, "trigger_id": {in.Trigger}}
	return s.post(ctx, in.Command.URL, in.Secrets.SigningSecret, form, failed)
}

// Interaction completes and sends an interaction, and returns the app's reply. It
// returns failed as Command does, and the errors of interactive.Complete.
func (s Sender) Interaction(ctx context.Context, c messaging.Caller, in *messaging.Interaction, payload map[string]json.RawMessage, failed *fault.Error) (outbound.Reply, error) {
	if err := s.fill(c, in, payload); err != nil {
		return outbound.Reply{}, err
	}
	return s.post(ctx, in.URL, in.Secrets.SigningSecret, url.Values{"payload": {string(encode(payload))}}, failed)
}

func (s Sender) post(ctx context.Context, to, secret string, form url.Values, failed *fault.Error) (outbound.Reply, error) {
	reply := s.Client.Send(ctx, signed(to, formType, secret, []byte(form.Encode())))
	failed = failed.With(AnswerOf(reply))
	if reply.Error != "" {
		return reply, failed.Detailf("The app did not answer: %s.", reply.Error)
	}
	if !reply.OK() {
		return reply, failed.Detailf("The app answered with status %d.", reply.Status)
	}
	if reply.Cut {
		return reply, failed.Detailf("The app's answer was not complete in time.")
	}
	return reply, nil
}

// AppAnswer is an app's failed reply, as our error contains it.
type AppAnswer struct {
	Status int    // 0 without a reply
	Body   string // truncated
}

// longestAnswer is the most bytes of a reply that an error contains.
const longestAnswer = 4 << 10

// AnswerOf returns an app's reply as an error contains it.
func AnswerOf(r outbound.Reply) AppAnswer {
	return AppAnswer{r.Status, strings.ToValidUTF8(string(r.Body[:min(len(r.Body), longestAnswer)]), "\uFFFD")}
}

// fill sets user, team, app and channel in the payload p of an interaction,
// replacing what the caller sent under these names. It returns the errors of
// interactive.Complete.
func (s Sender) fill(c messaging.Caller, in *messaging.Interaction, p map[string]json.RawMessage) error {
	set := func(name string, v any) { p[name] = encode(v) }
	keep := func(name string, v any) {
		if p[name] == nil {
			set(name, v)
		}
	}
	set("user", map[string]string{"id": c.ID, "username": c.Name, "name": c.Name, "team_id": c.Workspace})
	set("team", map[string]string{"id": c.Workspace, "domain": in.Team.Domain})
	set("api_app_id", in.App.ID)
	set("token", in.Secrets.VerificationToken)
	set("enterprise", nil)
	set("is_enterprise_install", false)
	set("trigger_id", in.Trigger)
	switch kind := text(p["type"]); kind {
	case "shortcut", "message_action":
		set("action_ts", in.ActionTS)
		keep("callback_id", "")
	case "block_actions":
		actions, state, err := interactive.Complete(p["actions"], in.Shown(), in.ActionTS)
		if err != nil {
			return err
		}
		p["actions"] = actions
		keep("state", state)
	}
	if in.Channel == nil {
		return nil
	}
	set("channel", map[string]string{"id": in.Channel.ID, "name": channelName(in.Channel)})
	set("response_url", s.ResponseURL(in.Response))
	if in.Ephemeral != "" {
		set("container", map[string]any{"type": "message", "message_ts": in.Ephemeral, "channel_id": in.Channel.ID, "is_ephemeral": true})
		delete(p, "message")
		return nil
	}
	if in.Message == nil {
		return nil
	}
	p["message"] = in.Message
	ts := text(field(in.Message, "ts"))
	if text(p["type"]) == "message_action" {
		set("message_ts", ts)
		return nil
	}
	container := map[string]any{"type": "message", "message_ts": ts, "channel_id": in.Channel.ID, "is_ephemeral": false}
	if thread := text(field(in.Message, "thread_ts")); thread != "" { // the thread_ts of a parent is its own ts
		container["thread_ts"] = thread
	}
	set("container", container)
	return nil
}

func field(object []byte, name string) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(object, &o) != nil {
		return nil
	}
	return o[name]
}

func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
