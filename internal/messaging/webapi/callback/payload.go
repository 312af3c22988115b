package callback

import (
	"bytes"
	"encoding/json"
	"net/url"

	"understudy/internal/messaging"
)

// payload is a message from an app: through an incoming webhook, to a
// response_url, or in the reply to a command.
type payload struct {
	Text            json.RawMessage `json:"text"`
	Blocks          json.RawMessage `json:"blocks"`
	Attachments     json.RawMessage `json:"attachments"`
	Metadata        json.RawMessage `json:"metadata"`
	ThreadTS        json.RawMessage `json:"thread_ts"`
	Username        json.RawMessage `json:"username"`
	IconEmoji       json.RawMessage `json:"icon_emoji"`
	IconURL         json.RawMessage `json:"icon_url"`
	Parse           json.RawMessage `json:"parse"`
	LinkNames       json.RawMessage `json:"link_names"`
	Mrkdwn          json.RawMessage `json:"mrkdwn"`
	ResponseType    json.RawMessage `json:"response_type"`
	ReplaceOriginal json.RawMessage `json:"replace_original"`
	DeleteOriginal  json.RawMessage `json:"delete_original"`
	ReplyBroadcast  json.RawMessage `json:"reply_broadcast"`
}

// ReadPayload reads a message from a body: a JSON object, or a form whose field
// payload is one. It returns messaging.BadPayload.
func ReadPayload(body []byte) (messaging.Answer, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if !bytes.HasPrefix(body, []byte("{")) { // no form begins with "{", whatever the Content-Type
		if form, err := url.ParseQuery(string(body)); err == nil && form.Get("payload") != "" {
			body = []byte(form.Get("payload"))
		}
	}
	var p payload
	if len(body) == 0 || json.Unmarshal(body, &p) != nil || bytes.Equal(body, []byte("null")) {
		return messaging.Answer{}, messaging.BadPayload
	}
	return p.answer()
}

func (p *payload) answer() (a messaging.Answer, err error) {
	m := &a.Message
	var kind string
	for _, f := range []struct {
		raw json.RawMessage
		to  *string
	}{{p.Text, &m.Text}, {p.ThreadTS, &m.ThreadTS}, {p.Username, &m.Username}, {p.IconEmoji, &m.IconEmoji},
		{p.IconURL, &m.IconURL}, {p.Parse, &m.Parse}, {p.ResponseType, &kind}} {
		if err := readText(f.raw, f.to); err != nil {
			return a, err
		}
	}
	m.Blocks, m.Attachments, m.Metadata = structure(p.Blocks), structure(p.Attachments), structure(p.Metadata)
	m.LinkNames, m.Broadcast = truth(p.LinkNames), truth(p.ReplyBroadcast)
	m.NoMrkdwn = len(p.Mrkdwn) > 0 && !truth(p.Mrkdwn)
	a.InChannel = kind == "in_channel"
	a.ReplaceOriginal, a.DeleteOriginal = truth(p.ReplaceOriginal), truth(p.DeleteOriginal)
	return a, nil
}

// readText reads a string. A number becomes its literal, which keeps a ts exact.
func readText(raw json.RawMessage, to *string) error {
	switch {
	case len(raw) == 0, string(raw) == "null":
		return nil
	case raw[0] == '"':
		return json.Unmarshal(raw, to)
	case raw[0] == '{', raw[0] == '[':
		return messaging.BadPayload
	}
	*to = string(raw)
	return nil
}

// structure returns JSON that may have been sent as a string of JSON, or nil when
// absent.
func structure(raw json.RawMessage) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var inner string
	if raw[0] == '"' && json.Unmarshal(raw, &inner) == nil {
		return []byte(inner)
	}
	return raw
}

func truth(raw json.RawMessage) bool {
	switch string(raw) {
	case "true", "1", `"true"`, `"1"`:
		return true
	}
	return false
}

// ReadReply reads an app's immediate reply: nothing, plain text for an ephemeral
// message, or a message. shown is the part to show, nil for none.
func ReadReply(body []byte) (a messaging.Answer, shown any, err error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return a, nil, nil
	}
	if body[0] != '{' {
		a.Message.Text = string(body)
		return a, map[string]string{"response_type": "ephemeral", "text": string(body)}, nil
	}
	if a, err = ReadPayload(body); err != nil {
		return a, nil, err
	}
	return a, json.RawMessage(body), nil
}

// Says reports whether an answer has any content.
func Says(a messaging.Answer) bool {
	m := a.Message
	return a.DeleteOriginal || m.Text != "" || len(m.Blocks) > 0 || len(m.Attachments) > 0
}
