package control

import (
	"context"
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

var eventRoutes = []route{
	{"POST /api/events/subscribe", "Subscribe an app to events; the URL must answer the url_verification challenge first.", subscribe},
	{"GET /api/events/subscriptions", "List the event subscriptions that the caller manages.", listSubscriptions},
	{"PUT /api/events/subscriptions/{id}", "Switch an event subscription on, after its URL has answered the challenge again, or off.", putSubscription},
	{"DELETE /api/events/subscriptions/{id}", "End an event subscription.", unsubscribe},
}

type subscribeRequest struct {
	URL        string   `json:"url" required:"true" description:"An http or https address."`
	EventTypes []string `json:"event_types" required:"true" description:"Event types such as message or reaction_added; message.channels, .groups, .im and .mpim narrow message."`
	AppID      string   `json:"app_id,omitempty" description:"One that the caller manages. Left out: the app of the token, or the first of these."`
}

type subscriptionReply struct {
	ID         string    `json:"id"`
	URL        string    `json:"url"`
	EventTypes []string  `json:"event_types"`
	AppID      string    `json:"app_id"`
	Status     string    `json:"status" enum:"active,disabled"`
	CreatedAt  time.Time `json:"created_at"`
}

type subscriptionsReply struct {
	Subscriptions []subscriptionReply `json:"subscriptions"`
	NextCursor    string              `json:"next_cursor"`
}

func subscription(s *messaging.Subscription) subscriptionReply {
	return subscriptionReply{ID: s.ID, URL: s.URL, EventTypes: s.EventTypes, AppID: s.App, Status: s.Status, CreatedAt: when(s.Created)}
}

// chooseApp selects a caller's app: messaging.Service's AppFor, OwnApp or
// HostApp.
type chooseApp func(s *messaging.Service, ctx context.Context, c messaging.Caller, id, ofToken string) (*messaging.App, error)

// appOf returns the caller of a request and the app that it refers to.
func (h *Handler) appOf(w http.ResponseWriter, r *http.Request, id string, choose chooseApp) (c messaging.Caller, a *messaging.App, err error) {
	if c, err = h.caller(w, r); err != nil {
		return c, nil, err
	}
	p, err := h.principal(w, r)
	if err != nil {
		return c, nil, err
	}
	a, err = choose(h.Service, r.Context(), c, id, p.App)
	return c, a, err
}

func subscribe(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if _, err := h.caller(w, r); err != nil {
		return err
	}
	var in subscribeRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.URL == "" {
		return missing.At("url")
	}
	if err := messaging.CheckURL(in.URL); err != nil {
		return err
	}
	if err := messaging.CheckEventTypes(in.EventTypes); err != nil {
		return err
	}
	c, a, err := h.appOf(w, r, in.AppID, (*messaging.Service).OwnApp)
	if err != nil {
		return err
	}
	if err := callback.Handshake(r.Context(), h.Client, in.URL, h.Service.Secrets(a), h.Service.Challenge()); err != nil {
		return err
	}
	made, err := h.Service.Subscribe(r.Context(), c, messaging.Subscribe{App: a, URL: in.URL, EventTypes: in.EventTypes})
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusCreated, subscription(made))
	return nil
}

func listSubscriptions(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.Subscription]{
		kind: "subscription",
		find: func(after messaging.Place, limit int) ([]*messaging.Subscription, error) {
			return h.Service.Subscriptions(r.Context(), c, messaging.Events, after, limit)
		},
		place:  func(x *messaging.Subscription) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
		plural: "subscriptions",
		show:   func(x *messaging.Subscription) any { return subscription(x) },
	}.serve(w, r)
}

type subscriptionChange struct {
	Status string `json:"status" required:"true" enum:"active,disabled"`
}

var badStatus = fault.New(fault.Invalid, "invalid_arguments", "This must be active or disabled.").At("status")

func putSubscription(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in subscriptionChange
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	if in.Status != messaging.Active && in.Status != messaging.Disabled {
		return badStatus
	}
	sub, a, err := h.Service.EventSubscription(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if in.Status == messaging.Active {
		if err := callback.Handshake(r.Context(), h.Client, sub.URL, h.Service.Secrets(a), h.Service.Challenge()); err != nil {
			return err
		}
	}
	if sub, err = h.Service.SetSubscription(r.Context(), c, sub.ID, in.Status); err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, subscription(sub))
	return nil
}

func unsubscribe(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	if err := h.Service.Unsubscribe(r.Context(), c, messaging.Events, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
