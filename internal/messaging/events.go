package messaging

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// EventTypes are the event types that this service produces, each as in the
// upstream Events API. The payload of the outbox is the inner event.
var EventTypes = []string{"message", "reaction_added", "reaction_removed", "channel_created", "channel_archive",
	"member_joined_channel", "member_left_channel", "user_change", "presence_change"}

// event is something to tell.
type event struct {
	kind      string
	in        *Channel // where; nil for what concerns the workspace
	workspace string   // without a channel
	key       string   // without a channel: what it is in order with, such as a user
	user      string   // who joins or leaves
	moved     bool     // this transaction has changed who is a member
	inner     any      // encoded unless it is []byte
}

// audience is who may see an event, for those who pass it on.
type audience struct {
	channel string // "" for what concerns the workspace
	kind    Kind
	user    string // who joins or leaves: sees it though no member
	moved   bool
}

func (s *Service) emit(ctx context.Context, tx *store.Tx, e event) error {
	payload, ok := e.inner.([]byte)
	if !ok {
		var err error
		if payload, err = marshal(e.inner); err != nil {
			return err
		}
	}
	a := &audience{user: e.user, moved: e.moved}
	if e.in != nil {
		a.channel, a.kind = e.in.ID, e.in.Kind
		e.workspace, e.key = e.in.Workspace, e.in.ID
	}
	return s.Outbox.Append(ctx, tx, outbox.Event{Service: Name, Tenant: e.workspace, Type: e.kind, Key: e.key,
		Payload: json.RawMessage(payload), Audience: a})
}

// eventTS is the time of an event that is not a message.
func (s *Service) eventTS() string { return TS(s.Clock.Micros()).String() }

type channelCreatedEvent struct {
	Type    string         `json:"type"`
	Channel *ChannelObject `json:"channel"`
	EventTS string         `json:"event_ts"`
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

// changeEvent is a message event about another message.
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
