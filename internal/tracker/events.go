package tracker

import (
	"strconv"
	"strings"

	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/outbox"
	"understudy/internal/tracker/entity"
)

// Event is the payload of an event of the outbox: the webhook's envelope without
// the members of a single delivery.
type Event struct {
	Action         string         `json:"action"` // create, update, remove
	Type           string         `json:"type"`   // "Issue"
	Actor          map[string]any `json:"actor"`
	CreatedAt      string         `json:"createdAt"`
	Data           map[string]any `json:"data"`
	UpdatedFrom    map[string]any `json:"updatedFrom,omitempty"`
	URL            string         `json:"url,omitempty"`
	OrganizationID string         `json:"organizationId"`
	LastSyncID     int64          `json:"lastSyncId"`
}

// appended returns the event as JSON. Events are encoded while other writers wait.
func (e *Event) appended() ([]byte, error) {
	b := jsontext.Append(append(make([]byte, 0, 2048), `{"action":`...), e.Action)
	b = jsontext.Append(append(b, `,"type":`...), e.Type)
	b, err := jsontext.AppendAny(append(b, `,"actor":`...), e.Actor)
	if err != nil {
		return nil, err
	}
	b = jsontext.Append(append(b, `,"createdAt":`...), e.CreatedAt)
	if b, err = jsontext.AppendAny(append(b, `,"data":`...), e.Data); err != nil {
		return nil, err
	}
	if len(e.UpdatedFrom) > 0 {
		if b, err = jsontext.AppendAny(append(b, `,"updatedFrom":`...), e.UpdatedFrom); err != nil {
			return nil, err
		}
	}
	if e.URL != "" {
		b = jsontext.Append(append(b, `,"url":`...), e.URL)
	}
	b = jsontext.Append(append(b, `,"organizationId":`...), e.OrganizationID)
	b = strconv.AppendInt(append(b, `,"lastSyncId":`...), e.LastSyncID, 10)
	return append(b, '}'), nil
}

// detail contains the parts of an event that its kind determines.
type detail struct {
	url   string
	teams []string
}

// archiveAction is the action of an issue that is archived but not deleted: webhooks
// receive remove, as for a deleted one, and connected clients an update.
const archiveAction = "archive"

// eventNames are the verbs of event types, by action.
var eventNames = map[string]string{"create": "created", "update": "updated", "remove": "deleted", archiveAction: "updated"}

// EventType returns the type of the event of an action on a kind, such as "issue.created".
func EventType(kind, action string) string {
	return strings.ToLower(kind[:1]) + kind[1:] + "." + eventNames[action]
}

// DeliveredEvents returns the types of the events that webhooks may receive.
func DeliveredEvents() (types []string) {
	for _, kind := range ResourceTypes[:served] {
		for _, action := range []string{"create", "update", "remove"} {
			types = append(types, EventType(kind, action))
		}
	}
	return types
}

// created inserts a row and appends its event.
func created[T any](w *writer, k *Kind[T], t *T) (*T, error) {
	if err := k.Insert(w.Tx, t); err != nil {
		return nil, err
	}
	w.changes++
	return t, emit(w, k, t, "create", nil)
}

// saved updates a row and appends its event, unless nothing has changed.
func saved[T any](w *writer, k *Kind[T], old, t *T) (*T, error) {
	return savedAs(w, k, old, t, "update")
}

// savedAs is saved, but with an action instead of "update".
func savedAs[T any](w *writer, k *Kind[T], old, t *T, action string) (*T, error) {
	if k.Same(old, t) {
		return old, nil
	}
	k.Header(t).Updated, k.Header(t).Version = w.Micros(), w.syncID
	w.changes++
	changes, err := k.Update(w.View, old, t)
	if err != nil {
		return nil, err
	}
	var from map[string]any
	if action == "update" {
		from = map[string]any{"updatedAt": entity.ISO(k.Header(old).Updated)}
		for _, c := range changes {
			from[c.Wire] = c.Old
		}
	}
	return t, emit(w, k, t, action, from)
}

// emit appends the event of a change to the outbox, unless the context is quiet.
func emit[T any](w *writer, k *Kind[T], t *T, action string, from map[string]any) error {
	if outbox.IsQuiet(w.ctx) {
		return nil
	}
	data := k.Data(t)
	var d detail
	if k.enrich != nil {
		var err error
		if d, err = k.enrich(w.View, t, data); err != nil {
			return err
		}
	}
	e := Event{Action: action, Type: k.Name, Actor: w.actor(), CreatedAt: entity.ISO(w.Micros()), Data: data, UpdatedFrom: from,
		URL: d.url, OrganizationID: w.Tenant, LastSyncID: w.syncID}
	if action == archiveAction {
		e.Action = "remove"
	}
	if e.Action == "remove" {
		e.URL = ""
	}
	payload, err := e.appended()
	if err != nil {
		return err
	}
	a, err := w.audienceOf(d.teams)
	if err != nil {
		return err
	}
	to, err := w.targets(k.Name, a)
	if err != nil {
		return err
	}
	return w.t.Outbox.Append(w.ctx, w.Tx, outbox.Event{Service: Service, Tenant: w.Tenant, Type: EventType(k.Name, action),
		Key: k.Header(t).ID, Payload: payload, Audience: a.clients()}, to...)
}

// actor returns the user who made the change; nil for an automatic one.
func (w *writer) actor() map[string]any {
	if w.automatic {
		return nil
	}
	a := userChild(w.View, w.viewer)
	a["type"] = "user"
	return a
}

// userChild returns a user in the form that the payloads of other entities embed.
func userChild(v *View, u *User) map[string]any {
	m := map[string]any{"id": u.ID, "name": u.Name, "email": u.Email, "url": v.UserURL(u)}
	if u.AvatarURL != "" {
		m["avatarUrl"] = u.AvatarURL
	}
	return m
}

// embedUser adds a user under a name when there is one.
func embedUser(v *View, data map[string]any, name, id string) error {
	u, err := v.known(id)
	if err == nil && u != nil {
		data[name] = userChild(v, u)
	}
	return err
}

// known returns a user by id. It does not read the viewer from the database.
func (v *View) known(id string) (*User, error) {
	if id == v.Caller && id != "" {
		return v.viewer, nil
	}
	return Users.Find(v, id)
}
