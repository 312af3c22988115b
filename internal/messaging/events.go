package messaging

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// event is a change that is published to apps and clients.
type event struct {
	kind      string
	in        *Channel // nil if the event concerns the workspace
	workspace string   // without a channel
	key       string   // without a channel: events with one key, such as those of a user, keep their order
	user      string   // the user who joins or leaves
	moved     bool     // this transaction has changed memberships
	only      string   // the one user who may see the event; "" for no restriction
	app       string   // the one app that may see it; "" for no restriction
	metadata  metadataFrom
	inner     any // encoded unless it is []byte
}

// audience describes who may see an event.
type audience struct {
	channel  string // "" if the event concerns the workspace
	kind     Kind
	user     string // the user who joins or leaves: may see the event without being a member
	moved    bool
	only     string // the id of the one user who may see it
	app      string
	metadata metadataFrom
}

func (s *Service) emit(ctx context.Context, tx *store.Tx, e event) error {
	payload, ok := e.inner.([]byte)
	if !ok {
		var err error
		if payload, err = marshal(e.inner); err != nil {
			return err
		}
	}
	a := audience{user: e.user, moved: e.moved, only: e.only, app: e.app, metadata: e.metadata}
	if e.in != nil {
		a.channel, a.kind = e.in.ID, e.in.Kind
		e.workspace, e.key = e.in.Workspace, e.in.ID
	}
	out := outbox.Event{Service: Name, Tenant: e.workspace, Type: e.kind, Key: e.key, Payload: json.RawMessage(payload),
		Audience: a.clients(e.kind)}
	var to []outbox.Target
	if s.Outbox.Delivers(ctx, Name) {
		var err error
		if to, err = s.targets(tx, &out, &a); err != nil {
			return err
		}
	}
	return s.Outbox.Append(ctx, tx, out, to...)
}

// clients returns which connected clients may see an event of a type.
func (a *audience) clients(event string) outbox.Audience {
	if a.app != "" || a.metadata != (metadataFrom{}) {
		return outbox.Audience{Nobody: true}
	}
	out := outbox.Audience{Scope: neededScope(event, a.kind)}
	switch {
	case a.only != "":
		out.Users = []string{a.only}
	case a.channel != "" && !concernsAll(event):
		out.Place = a.channel
	}
	return out
}

// eventTS returns the ts of an event that is not a message: now.
func (s *Service) eventTS() string { return TS(s.Clock.Micros()).String() }

type channelCreatedEvent struct {
	Type    string         `json:"type"`
	Channel *ChannelObject `json:"channel"`
	EventTS string         `json:"event_ts"`
}

// userEvents appends events of several types about a user, each with the whole
// user object.
func (s *Service) userEvents(ctx context.Context, tx *store.Tx, u *User, kinds ...string) error {
	for _, kind := range kinds {
		err := s.emit(ctx, tx, event{kind: kind, workspace: u.Workspace, key: u.ID,
			inner: userEvent{Type: kind, User: u.Object(true), CacheTS: u.Updated / 1e6, EventTS: s.eventTS()}})
		if err != nil {
			return err
		}
	}
	return nil
}

// channelRef is the short form of a channel in some events.
type channelRef struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	NameNormalized string `json:"name_normalized"`
	Created        int64  `json:"created"`
	IsChannel      bool   `json:"is_channel"`
	IsMPIM         bool   `json:"is_mpim"`
}

func (ch *Channel) ref() channelRef {
	return channelRef{ID: ch.ID, Name: ch.Name, NameNormalized: ch.Name, Created: ch.Created / 1e6,
		IsChannel: ch.Kind == Public || ch.Kind == Private, IsMPIM: ch.Kind == MPIM}
}

type channelRenameEvent struct {
	Type    string     `json:"type"`
	Channel channelRef `json:"channel"`
	EventTS string     `json:"event_ts"`
}

type channelLeftEvent struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	ActorID string `json:"actor_id"`
	EventTS string `json:"event_ts"`
}

type imCreatedEvent struct {
	Type    string `json:"type"`
	User    string `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	EventTS string `json:"event_ts"`
}

type imOpenEvent struct {
	Type    string `json:"type"`
	User    string `json:"user"`
	Channel string `json:"channel"`
	EventTS string `json:"event_ts"`
}

type channelArchiveEvent struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	User    string `json:"user"`
	IsMoved int64  `json:"is_moved"`
	EventTS string `json:"event_ts"`
}

type memberEvent struct {
	Type        string `json:"type"`
	User        string `json:"user"`
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	Team        string `json:"team"`
	Inviter     string `json:"inviter,omitempty"`
	EventTS     string `json:"event_ts"`
}

type reactionEvent struct {
	Type     string       `json:"type"`
	User     string       `json:"user"`
	Reaction string       `json:"reaction"`
	Item     reactionItem `json:"item"`
	ItemUser string       `json:"item_user,omitempty"`
	EventTS  string       `json:"event_ts"`
}

type reactionItem struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

type userEvent struct {
	Type    string     `json:"type"`
	User    UserObject `json:"user"`
	CacheTS int64      `json:"cache_ts"`
	EventTS string     `json:"event_ts"`
}

type presenceEvent struct {
	Type     string `json:"type"`
	User     string `json:"user"`
	Presence string `json:"presence"`
	EventTS  string `json:"event_ts"`
}

// changeEvent is a message event about a change of another message.
type changeEvent struct {
	Type            string          `json:"type"`
	Subtype         string          `json:"subtype"`
	Hidden          bool            `json:"hidden"`
	Channel         string          `json:"channel"`
	ChannelType     string          `json:"channel_type"`
	TS              string          `json:"ts"`
	DeletedTS       string          `json:"deleted_ts,omitempty"`
	Message         json.RawMessage `json:"message,omitempty"`
	PreviousMessage json.RawMessage `json:"previous_message,omitempty"`
	EventTS         string          `json:"event_ts"`
}
