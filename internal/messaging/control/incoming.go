package control

import (
	"encoding/json"
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
)

var incomingRoutes = []route{
	{"POST /api/webhooks/incoming", "Make an incoming webhook for a channel.", createIncoming},
	{"GET /api/webhooks/incoming", "List the incoming webhooks that the caller manages.", listIncoming},
	{"DELETE /api/webhooks/incoming/{id}", "Remove an incoming webhook.", deleteIncoming},
	{"POST /api/webhooks/incoming/{id}", "Post a message through an incoming webhook; the id is the secret.", postIncoming},
	{"POST /services/{team}/{bot}/{id}", "Post a message through an incoming webhook at the upstream's kind of address.", postIncoming},
}

type incomingRequest struct {
	Channel string `json:"channel" required:"true" description:"Id or name."`
	Name    string `json:"name,omitempty" description:"Under which its messages are shown."`
	AppID   string `json:"app_id,omitempty" description:"One that the caller manages. Left out: the app of the token, the first of these, or the first of the workspace."`
}

type incomingReply struct {
	ID        string    `json:"id" description:"The secret of the address; empty where the caller cannot see the conversation."`
	Ref       string    `json:"ref" description:"No secret: names the webhook when it is removed."`
	URL       string    `json:"url"`
	Channel   string    `json:"channel"`
	Name      string    `json:"name"`
	AppID     string    `json:"app_id"`
	BotID     string    `json:"bot_id"`
	CreatedAt time.Time `json:"created_at"`
}

type incomingListReply struct {
	Webhooks   []incomingReply `json:"webhooks"`
	NextCursor string          `json:"next_cursor"`
}

// hookMessage is the schema of a message through a webhook.
type hookMessage struct {
	Text        string            `json:"text,omitempty"`
	Blocks      []json.RawMessage `json:"blocks,omitempty"`
	Attachments []json.RawMessage `json:"attachments,omitempty"`
	ThreadTS    string            `json:"thread_ts,omitempty"`
	Username    string            `json:"username,omitempty"`
	IconEmoji   string            `json:"icon_emoji,omitempty"`
	IconURL     string            `json:"icon_url,omitempty"`
}

func (h *Handler) incoming(x *messaging.Webhook) incomingReply {
	out := incomingReply{ID: x.ID, Ref: x.Ref, Channel: x.Channel, Name: x.Name, AppID: x.App, BotID: x.BotID, CreatedAt: when(x.Created)}
	if x.ID != "" {
		out.URL = h.BaseURL() + "/api/webhooks/incoming/" + x.ID
	}
	return out
}

func createIncoming(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if _, err := h.caller(w, r); err != nil {
		return err
	}
	var in incomingRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.Channel == "" {
		return missing.At("channel")
	}
	c, a, err := h.appOf(w, r, in.AppID, (*messaging.Service).HostApp)
	if err != nil {
		return err
	}
	made, err := h.Service.CreateWebhook(r.Context(), c, a, in.Channel, in.Name)
	if err != nil {
		return err
	}
	record.Audit(w, "webhook.create", made.Ref)
	httpkit.WriteJSON(w, http.StatusCreated, h.incoming(made))
	return nil
}

func listIncoming(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.Webhook]{
		kind: "incoming",
		find: func(after messaging.Place, limit int) ([]*messaging.Webhook, error) {
			return h.Service.Webhooks(r.Context(), c, after, limit)
		},
		place:  func(x *messaging.Webhook) messaging.Place { return messaging.Place{Created: x.Created, ID: x.Ref} },
		plural: "webhooks",
		show:   func(x *messaging.Webhook) any { return h.incoming(x) },
	}.serve(w, r)
}

func deleteIncoming(h *Handler, w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, "/api/webhooks/incoming/[redacted]")
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.DeleteWebhook(r.Context(), c, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// hookPolicy is upstream's: one message a second for each webhook, with bursts.
var hookPolicy = ratelimit.Policy{Name: "incoming webhook", Shape: ratelimit.Bucket, Limit: 1, Window: time.Second, Burst: 20}

// postIncoming posts a message. It replies in upstream's form: plain text, also
// for errors.
func postIncoming(h *Handler, w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, "/api/webhooks/incoming/[redacted]")
	if err := h.postThrough(w, r); err != nil {
		return h.writeText(w, r, err)
	}
	writeText(w, http.StatusOK, "ok")
	return nil
}

func (h *Handler) postThrough(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	hook, err := h.Service.Webhook(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	if team := r.PathValue("team"); team != "" && (team != hook.Workspace || r.PathValue("bot") != hook.BotID) {
		return messaging.WebhookNotFound
	}
	if err := httpkit.BeginWith(w, r, hook.Ref); err != nil {
		return err
	}
	if d := h.Limiter.Take(messaging.Name+"\x00"+hook.Workspace+"\x00"+hook.Ref, hookPolicy, 1); !d.OK {
		return hookLimited.After(d.RetryAfter)
	}
	a, err := readPayload(r)
	if err != nil {
		return err
	}
	return h.Service.PostThrough(ctx, hook, a.Message)
}

var hookLimited = fault.New(fault.RateLimited, "rate_limited", "")
