package control

import (
	"encoding/json"
	"net/http"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

var interactionRoutes = []route{
	{"POST /api/interactions", "Press a button, or run a shortcut, as the caller.", interact},
}

type interactRequest struct {
	AppID   string                     `json:"app_id,omitempty" description:"Left out: the app of the message, of the token, or the first of the workspace."`
	Payload map[string]json.RawMessage `json:"payload" required:"true" description:"type is block_actions, message_action or shortcut; channel and message say where."`
}

// where is the place that a payload refers to.
type where struct {
	Type      string
	Channel   string
	MessageTS string
	Ephemeral string // the ts of an ephemeral message for the caller
	App       string
}

func interact(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if _, err := h.caller(w, r); err != nil {
		return err
	}
	var in interactRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.Payload == nil {
		return missing.At("payload")
	}
	at, err := readWhere(in.Payload)
	if err != nil {
		return err
	}
	if in.AppID == "" {
		in.AppID = at.App
	}
	if at.Ephemeral != "" {
		at.MessageTS = ""
	}
	if in.AppID == "" && at.MessageTS != "" {
		c, err := h.caller(w, r)
		if err != nil {
			return err
		}
		if in.AppID, err = h.Service.AppOfMessage(r.Context(), c, at.Channel, at.MessageTS); err != nil {
			return err
		}
	}
	c, a, err := h.appOf(w, r, in.AppID, (*messaging.Service).AppFor)
	if err != nil {
		return err
	}
	act, err := h.Service.Interact(r.Context(), c, a, messaging.Interact{Channel: at.Channel, TS: at.MessageTS, Ephemeral: at.Ephemeral})
	if err != nil {
		return err
	}
	record.Hide(w, act.Secrets.VerificationToken, act.Secrets.SigningSecret, act.Response)
	reply, err := h.sender().Interaction(r.Context(), c, act, in.Payload, interactionFailed)
	if err != nil {
		return err
	}
	if _, _, err := callback.ReadReply(reply.Body); err != nil { // an acknowledgement is empty or has a meaning only for the app
		reply.Body = nil
	}
	return h.answered(w, r, act.Response, reply, interactionFailed, act.Secrets)
}

// readWhere reads the place from the member that each kind of payload has for it.
func readWhere(p map[string]json.RawMessage) (at where, err error) {
	bad := messaging.BadPayload.At("payload")
	texts := func(raw json.RawMessage, into map[string]*string) bool {
		if len(raw) == 0 || string(raw) == "null" {
			return true
		}
		var o map[string]json.RawMessage
		if json.Unmarshal(raw, &o) != nil {
			return false
		}
		for name, to := range into {
			if v, ok := o[name]; ok && string(v) != "null" && *to == "" && json.Unmarshal(v, to) != nil {
				return false
			}
		}
		return true
	}
	if json.Unmarshal(p["type"], &at.Type) != nil {
		return at, bad.Detailf("The payload needs a type.")
	}
	switch at.Type {
	case "block_actions", "message_action", "shortcut":
	default:
		return at, bad.Detailf("There is no interaction %q; there are block_actions, message_action and shortcut.", at.Type)
	}
	if raw := p["channel"]; len(raw) > 0 && raw[0] == '"' {
		if json.Unmarshal(raw, &at.Channel) != nil {
			return at, bad
		}
	} else if !texts(raw, map[string]*string{"id": &at.Channel}) {
		return at, bad.Detailf("channel must be an object with an id.")
	}
	var top struct{ ts string }
	if raw := p["message_ts"]; len(raw) > 0 && json.Unmarshal(raw, &top.ts) != nil {
		return at, bad.Detailf("message_ts must be a text.")
	}
	at.MessageTS = top.ts
	if !texts(p["container"], map[string]*string{"channel_id": &at.Channel, "message_ts": &at.MessageTS}) ||
		!texts(p["message"], map[string]*string{"ts": &at.MessageTS, "app_id": &at.App}) {
		return at, bad.Detailf("container and message must be objects.")
	}
	var container struct {
		Ephemeral bool `json:"is_ephemeral"`
	}
	if json.Unmarshal(p["container"], &container) == nil && container.Ephemeral {
		at.Ephemeral = at.MessageTS
	}
	if at.Type == "message_action" && at.MessageTS == "" || at.Type != "shortcut" && at.Channel == "" {
		return at, bad.Detailf("A %s needs a channel and a message.", at.Type)
	}
	return at, nil
}
