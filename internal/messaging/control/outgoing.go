package control

import (
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

var outgoingRoutes = []route{
	{"POST /api/webhooks/outgoing", "Subscribe an address to events, without a handshake; its secrets are shown only this once.", createOutgoing},
	{"GET /api/webhooks/outgoing", "List the outgoing webhooks that the caller manages.", listOutgoing},
	{"DELETE /api/webhooks/outgoing/{id}", "Remove an outgoing webhook.", deleteOutgoing},
}

type outgoingRequest struct {
	URL          string   `json:"url" required:"true" description:"An http or https address."`
	EventTypes   []string `json:"event_types,omitempty" description:"Left out: message."`
	Channel      string   `json:"channel,omitempty" description:"Id or name: only events there. Events of a private channel are sent only to a webhook that names it."`
	TriggerWords []string `json:"trigger_words,omitempty" description:"Only messages that begin with one of these."`
	Name         string   `json:"name,omitempty"`
}

type outgoingSummary struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	URL          string    `json:"url"`
	EventTypes   []string  `json:"event_types"`
	Channel      string    `json:"channel"`
	TriggerWords []string  `json:"trigger_words"`
	AppID        string    `json:"app_id"`
	Status       string    `json:"status" enum:"active,disabled"`
	CreatedAt    time.Time `json:"created_at"`
}

type outgoingReply struct {
	outgoingSummary
	Token         string `json:"token"`
	SigningSecret string `json:"signing_secret"`
}

type outgoingListReply struct {
	Webhooks   []outgoingSummary `json:"webhooks"`
	NextCursor string            `json:"next_cursor"`
}

func outgoing(s *messaging.Subscription) outgoingSummary {
	return outgoingSummary{ID: s.ID, Name: s.Name, URL: s.URL, EventTypes: s.EventTypes, Channel: s.Channel,
		TriggerWords: append([]string{}, s.TriggerWords...), AppID: s.App, Status: s.Status, CreatedAt: when(s.Created)}
}

func createOutgoing(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, a, err := h.appOf(w, r, "", (*messaging.Service).HostApp)
	if err != nil {
		return err
	}
	var in outgoingRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.URL == "" {
		return missing.At("url")
	}
	made, err := h.Service.CreateOutgoing(r.Context(), c, a, messaging.OutgoingWebhook{URL: in.URL, EventTypes: in.EventTypes,
		Channel: in.Channel, TriggerWords: in.TriggerWords, Name: in.Name})
	if err != nil {
		return err
	}
	record.Audit(w, "webhook.create", made.ID)
	out := outgoingReply{outgoingSummary: outgoing(made)}
	out.Token, out.SigningSecret = h.Service.OutgoingSecrets(made)
	httpkit.WriteJSON(w, http.StatusCreated, out)
	return nil
}

func listOutgoing(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.Subscription]{
		kind: "outgoing",
		find: func(after messaging.Place, limit int) ([]*messaging.Subscription, error) {
			return h.Service.Subscriptions(r.Context(), c, messaging.Outgoing, after, limit)
		},
		place:  func(x *messaging.Subscription) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
		plural: "webhooks",
		show:   func(x *messaging.Subscription) any { return outgoing(x) },
	}.serve(w, r)
}

func deleteOutgoing(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.Unsubscribe(r.Context(), c, messaging.Outgoing, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
