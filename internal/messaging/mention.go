package messaging

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/messaging/rawjson"
	"understudy/internal/platform/store"
)

var namedUser = regexp.MustCompile(`<@([UW][A-Z0-9]{2,})[|>]|"user_id":"([UW][A-Z0-9]{2,})"`)

// mentioned returns the ids of the users that a content mentions, each once.
func (c *content) mentioned() (out []string) {
	if !strings.Contains(c.text, "<@") && !bytes.Contains(c.blocks, []byte("<@")) && !bytes.Contains(c.blocks, []byte(`"user_id"`)) {
		return nil
	}
	for _, text := range [][]byte{[]byte(c.text), c.blocks} {
		for _, m := range namedUser.FindAllSubmatch(text, -1) {
			if id := string(m[1]) + string(m[2]); !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// maxMentions bounds how many mentions of one message are looked up.
const maxMentions = 100

// emitMentions appends app_mention for each bot that is in the conversation and
// that a message mentions, unless the message did so before. There is none in an
// im: the message event suffices.
func (s *Service) emitMentions(ctx context.Context, tx *store.Tx, ch *Channel, m *Message, now, before *content, ts TS) error {
	if ch.Kind == IM {
		return nil
	}
	ids := now.mentioned()
	if before != nil {
		old := before.mentioned()
		ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(old, id) })
	}
	for _, id := range ids[:min(len(ids), maxMentions)] {
		u, err := getUser(tx, ch.Workspace, id)
		if err != nil {
			return err
		}
		if u == nil || !u.IsBot() || u.Deleted || id == m.User {
			continue
		}
		if in, err := isMember(tx, ch, id); err != nil {
			return err
		} else if !in {
			continue
		}
		if err := s.emit(ctx, tx, event{kind: "app_mention", in: ch, only: id, inner: mentionOf(m.body, ch, ts)}); err != nil {
			return err
		}
	}
	return nil
}

// mentionOf returns a message as app_mention, without the members that only
// listed messages have.
func mentionOf(body []byte, ch *Channel, ts TS) []byte {
	b := append(make([]byte, 0, len(body)+96), `{"type":"app_mention"`...)
	for key, value := range rawjson.Members(body) {
		switch name := string(key); {
		case name == `"type"`, name == `"root"`, name == `"subtype"` && string(value) != `"bot_message"`:
			continue
		}
		b = append(append(append(append(b, ','), key...), ':'), value...)
	}
	b = append(b, `,"channel":"`+ch.ID+`","event_ts":"`...)
	return append(ts.append(b), `"}`...)
}

// metadataFrom is the app and the event type of a message's metadata.
type metadataFrom struct{ app, event string }

// metadataEvent reports that a message with metadata was posted, updated or deleted.
type metadataEvent struct {
	Type             string          `json:"type"`
	AppID            string          `json:"app_id"`
	BotID            string          `json:"bot_id,omitempty"`
	UserID           string          `json:"user_id"`
	TeamID           string          `json:"team_id"`
	ChannelID        string          `json:"channel_id"`
	MessageTS        string          `json:"message_ts"`
	Metadata         json.RawMessage `json:"metadata,omitempty"`
	PreviousMetadata json.RawMessage `json:"previous_metadata,omitempty"`
	DeletedTS        string          `json:"deleted_ts,omitempty"`
	EventTS          string          `json:"event_ts"`
}

// emitMetadata appends the event of a change of a message's metadata from before
// to that in m. Only messages of apps have such events.
func (s *Service) emitMetadata(ctx context.Context, tx *store.Tx, ch *Channel, m *Message, before []byte, deleted bool, ts TS) error {
	if len(m.metadata) == 0 && len(before) == 0 || !deleted && bytes.Equal(m.metadata, before) {
		return nil
	}
	var author struct {
		AppID string `json:"app_id"`
		BotID string `json:"bot_id"`
	}
	if err := json.Unmarshal(m.body, &author); err != nil || author.AppID == "" {
		return err
	}
	e := metadataEvent{Type: "message_metadata_posted", AppID: author.AppID, BotID: author.BotID, UserID: m.User, TeamID: ch.Workspace,
		ChannelID: ch.ID, MessageTS: m.TS.String(), Metadata: m.metadata, PreviousMetadata: before, EventTS: ts.String()}
	shown := m.metadata
	switch {
	case deleted || len(m.metadata) == 0:
		e.Type, e.DeletedTS, e.Metadata, shown = "message_metadata_deleted", ts.String(), nil, before
	case len(before) > 0:
		e.Type = "message_metadata_updated"
	}
	var what struct {
		EventType string `json:"event_type"`
	}
	if err := json.Unmarshal(shown, &what); err != nil {
		return err
	}
	return s.emit(ctx, tx, event{kind: e.Type, in: ch, metadata: metadataFrom{author.AppID, what.EventType}, inner: e})
}

// wantsMetadata reports whether the manifest of a subscription's app subscribes
// to metadata: from the app's id or "*", and of its event type.
func (sub *Subscription) wantsMetadata(from metadataFrom) bool {
	if sub.app == nil {
		return false
	}
	for _, want := range sub.app.asks().Settings.EventSubscriptions.Metadata {
		if (want.AppID == "*" || want.AppID == from.app) && want.EventType == from.event {
			return true
		}
	}
	return false
}
