package acts

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/messaging/interactive"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
)

type clickRequest struct {
	Message  *messageRef `json:"message" required:"true"`
	ActionID string      `json:"action_id" required:"true"`
	BlockID  string      `json:"block_id,omitempty" description:"Where several elements have this action_id."`
}

type pressReply struct {
	AppID    string          `json:"app_id"`
	Action   json.RawMessage `json:"action" description:"As the app was sent it."`
	Response json.RawMessage `json:"response" description:"What the app answered at once; null for nothing."`
	made
}

var missing = fault.New(fault.Invalid, "invalid_value", "This is required.")

func (p *Person) click(ctx context.Context, in *clickRequest) (any, error) {
	m, e, err := elementOf(ctx, p, in)
	if err != nil {
		return nil, err
	}
	if !e.IsButton() {
		return nil, interactive.NoSuchOption.Detailf("A %s cannot be clicked: choose one of its options.", e.Kind())
	}
	return press(ctx, p, m, e, action(map[string]any{"action_id": e.ActionID(), "block_id": e.Block}))
}

type chooseRequest struct {
	clickRequest
	Values json.RawMessage `json:"values" required:"true" description:"A value, or a list of them: of options; ids, @handles or #names where people or conversations are chosen; a date or time as it is."`
}

func (p *Person) choose(ctx context.Context, in *chooseRequest) (any, error) {
	var values []any
	if json.Unmarshal(in.Values, &values) != nil {
		var one any
		if len(in.Values) == 0 || json.Unmarshal(in.Values, &one) != nil || one == nil {
			return nil, missing.At("values")
		}
		values = []any{one}
	}
	m, e, err := elementOf(ctx, p, &in.clickRequest)
	if err != nil {
		return nil, err
	}
	if err := resolve(ctx, p, e, values); err != nil {
		return nil, err
	}
	chosen, err := e.Choice(values)
	if err != nil {
		return nil, err
	}
	return press(ctx, p, m, e, chosen)
}

// resolve replaces @handles and #names among values by ids, if the element
// chooses people or conversations. It returns interactive.NoSuchOption for an
// unknown id, or for a conversation that the person cannot see.
func resolve(ctx context.Context, p *Person, e interactive.Element, values []any) (err error) {
	people := strings.HasSuffix(e.Kind(), "users_select")
	places := strings.HasSuffix(e.Kind(), "channels_select") || strings.HasSuffix(e.Kind(), "conversations_select")
	for i, v := range values {
		name, isText := v.(string)
		switch {
		case !isText:
		case people && strings.HasPrefix(name, "@"):
			values[i], err = p.user(ctx, name)
		case people:
			err = known(ctx, p, "/api/users.info?user=", name)
		case places && (strings.HasPrefix(name, "#") || strings.HasPrefix(name, "@")):
			values[i], err = p.conversation(ctx, name, false)
		case places:
			err = known(ctx, p, "/api/conversations.info?channel=", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// longestID bounds the length of ids.
const longestID = 100

// known returns an error unless the method at path finds the id.
func known(ctx context.Context, p *Person, path, id string) error {
	if len(id) <= longestID {
		err := p.look(ctx, path+url.QueryEscape(id), nil)
		if f, ok := fault.As(err); !ok || f.Kind != fault.Unprocessable {
			return err
		}
	}
	return interactive.NoSuchOption.Detailf("There is nothing with the id %.100q that this person can see.", id)
}

// elementOf returns a message and the element of it that a request names.
func elementOf(ctx context.Context, p *Person, in *clickRequest) (m message, e interactive.Element, err error) {
	if in.ActionID == "" {
		return m, e, missing.At("action_id")
	}
	if m, err = p.find(ctx, "message", in.Message); err != nil {
		return m, e, err
	}
	e, err = interactive.Find(interactive.Elements(m.json), in.ActionID, in.BlockID)
	if f, ok := fault.As(err); ok {
		err = f.With(environment.Details{"action_ids": f.Attrs})
	}
	return m, e, err
}

func action(v any) json.RawMessage {
	text, _ := json.Marshal(v) // texts alone
	return text
}

// press sends the action on an element of a message to the message's app.
func press(ctx context.Context, p *Person, m message, e interactive.Element, done json.RawMessage) (any, error) {
	list := append(append([]byte{'['}, done...), ']')
	full, _, err := interactive.Complete(list, m.json, "")
	if err != nil {
		return nil, err
	}
	payload := map[string]any{"type": "block_actions", "channel": map[string]string{"id": m.channel}, "actions": json.RawMessage(list)}
	if m.alone {
		payload["container"] = map[string]any{"type": "message", "message_ts": m.TS, "channel_id": m.channel, "is_ephemeral": true}
	} else {
		payload["message"] = map[string]string{"ts": m.TS}
	}
	out := &pressReply{AppID: m.AppID}
	var actions []map[string]json.RawMessage
	if err := json.Unmarshal(full, &actions); err != nil {
		return nil, err
	}
	delete(actions[0], "action_ts") // the service sets its own
	if out.Action, err = json.Marshal(actions[0]); err != nil {
		return nil, err
	}
	return out, interact(ctx, p, m.AppID, payload, out)
}

// interact sends an interaction to an app and reads the app's reply.
func interact(ctx context.Context, p *Person, app string, payload map[string]any, out *pressReply) error {
	var answered struct{ Response json.RawMessage }
	err := p.control(ctx, http.MethodPost, "/api/interactions", map[string]any{"app_id": app, "payload": payload}, &answered)
	out.Response = answered.Response
	return err
}

type shortcutRequest struct {
	CallbackID string      `json:"callback_id" required:"true"`
	Message    *messageRef `json:"message,omitempty" description:"Of a message shortcut."`
	App        string      `json:"app,omitempty" description:"Id or name of the app; the one whose manifest has the shortcut when left out."`
}

func (p *Person) shortcut(ctx context.Context, in *shortcutRequest) (any, error) {
	if in.CallbackID == "" {
		return nil, missing.At("callback_id")
	}
	app, err := appOf(ctx, p, in)
	if err != nil {
		return nil, err
	}
	payload := map[string]any{"type": "shortcut", "callback_id": in.CallbackID}
	if in.Message != nil {
		m, err := p.find(ctx, "message", in.Message)
		if err != nil {
			return nil, err
		}
		payload["type"] = "message_action"
		payload["channel"], payload["message_ts"] = map[string]string{"id": m.channel}, m.TS
	}
	out := &pressReply{AppID: app, Action: action(map[string]any{"type": payload["type"], "callback_id": in.CallbackID})}
	return out, interact(ctx, p, app, payload, out)
}

// appOf returns the id of the app that a shortcut belongs to.
func appOf(ctx context.Context, p *Person, in *shortcutRequest) (string, error) {
	b, err := p.boot(ctx)
	if err != nil {
		return "", err
	}
	kind := "global"
	if in.Message != nil {
		kind = "message"
	}
	var known []string
	for _, x := range b.Shortcuts {
		if x.Callback == in.CallbackID && x.Type == kind && (in.App == "" || in.App == x.App || in.App == x.AppName) {
			return x.App, nil
		}
		known = append(known, x.Callback+" ("+x.Type+")")
	}
	if in.App != "" { // the manifest need not list the shortcuts that an app handles
		return appNamed(ctx, p, in.App)
	}
	if len(known) == 0 {
		return "", NoSuchShortcut
	}
	return "", NoSuchShortcut.Detailf("No app offers this %s shortcut; there are: %s. A message shortcut needs a message, a global one has none.", kind, strings.Join(known, ", "))
}

// appNamed returns the id of an app of the workspace by id or name.
func appNamed(ctx context.Context, p *Person, name string) (string, error) {
	var list struct {
		Apps []struct {
			ID   string `json:"app_id"`
			Name string
		}
	}
	if err := p.look(ctx, "/api/apps?limit=1000", &list); err != nil {
		return "", err
	}
	for _, a := range list.Apps {
		if a.ID == name || strings.EqualFold(a.Name, name) {
			return a.ID, nil
		}
	}
	return "", NoSuchShortcut.At("app").Detailf("There is no such app in the workspace.")
}

type runRequest struct {
	Command string `json:"command" required:"true" description:"With its text, such as \"/deploy prod\"."`
	Channel string `json:"channel" required:"true" description:"#name, an id, or @handle for a direct conversation."`
}

type runReply struct {
	Response json.RawMessage `json:"response" description:"What the app answered at once; null for nothing."`
	made
}

func (p *Person) command(ctx context.Context, in *runRequest) (any, error) {
	command, text, _ := strings.Cut(strings.TrimSpace(in.Command), " ")
	if command == "" {
		return nil, missing.At("command")
	}
	id, err := p.conversation(ctx, in.Channel, true)
	if err != nil {
		return nil, err
	}
	out := &runReply{}
	return out, p.control(ctx, http.MethodPost, "/api/commands/execute",
		map[string]any{"command": command, "text": strings.TrimSpace(text), "channel": id}, out)
}
