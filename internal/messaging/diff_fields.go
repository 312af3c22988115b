package messaging

import (
	"encoding/json"

	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// messageFields declares the fields that are members of a message's body.
func messageFields() []diff.Field {
	out := []diff.Field{diff.F("user", "text").To("messaging.user"), diff.F("inviter", "text").To("messaging.user"),
		diff.F("parent_user_id", "text").To("messaging.user").Follows(), diff.F("thread_ts", "text"),
		diff.F("edited", "any").Follows(), diff.F("root", "any").Follows(), diff.F("bot_profile", "any").Follows(),
		diff.F("bot_id", "text").Is("bots are known by their users"), diff.F("app_id", "text").To("messaging.app"),
		diff.F("client_msg_id", "text").Is("an id that the client chose"), diff.F("is_bot", "boolean"), diff.F("hidden", "boolean"),
		diff.F("blocks", "any"), diff.F("attachments", "any"), diff.F("icons", "any")}
	for _, name := range []string{"type", "subtype", "text", "username", "topic", "purpose", "old_name", "name"} {
		out = append(out, diff.F(name, "text"))
	}
	return out
}

// profileFields declares the fields that are members of a profile.
func profileFields() []diff.Field {
	out := []diff.Field{diff.F("is_bot", "boolean"), diff.F("profile.fields", "any"), diff.F("profile.status_expiration", "integer"),
		diff.F("profile.huddle_state_expiration_ts", "integer"), diff.F("profile.always_active", "boolean"),
		diff.F("profile.team", "text").To("messaging.workspace"), diff.F("profile.status_emoji_display_info", "any").Follows()}
	for _, name := range []string{"title", "phone", "skype", "real_name", "display_name", "status_text", "status_emoji", "first_name", "last_name",
		"pronouns", "huddle_state"} {
		out = append(out, diff.F("profile."+name, "text"))
	}
	for _, name := range []string{"real_name_normalized", "display_name_normalized", "status_text_canonical", "avatar_hash",
		"image_24", "image_32", "image_48", "image_72", "image_192", "image_512"} {
		out = append(out, diff.F("profile."+name, "text").Follows())
	}
	return out
}

// channelNotes are the subtypes of messages that the service writes when a
// channel changes.
var channelNotes = map[string]bool{"channel_topic": true, "channel_purpose": true, "channel_name": true, "channel_archive": true, "channel_unarchive": true}

// messageConsequences declares which messages the service writes by itself.
func messageConsequences() []diff.Consequence {
	in := func(it, of *diff.Change, channel string) bool {
		return it.Inserted() && it.After["channel"] == value(of, channel)
	}
	return []diff.Consequence{
		{Of: "messaging.member", When: "subtype is channel_join or channel_leave", Holds: func(it, of *diff.Change) bool {
			subtype := textIn(it.After, "subtype")
			return (subtype == "channel_join" || subtype == "channel_leave") && in(it, of, "channel")
		}},
		{Of: "messaging.channel", When: "subtype is channel_join, channel_topic, channel_purpose, channel_name, channel_archive or channel_unarchive", Holds: func(it, of *diff.Change) bool {
			subtype := textIn(it.After, "subtype")
			return (channelNotes[subtype] || subtype == "channel_join") && in(it, of, "id")
		}},
		{Of: "messaging.message", When: "it is the rest of a deleted message, whose last reply is gone", Holds: func(it, of *diff.Change) bool {
			return it.Deleted() && of.Deleted() && textIn(it.Before, "subtype") == tombstone && it.Before["ts"] == textOr(of.Before["thread_ts"])
		}},
	}
}

func botOf(it, of *diff.Change) bool {
	return it.Inserted() == of.Inserted() && value(it, "id") == value(of, "bot_user_id")
}

// inWorkspace declares that things are created with their workspace, whose id is
// in a field.
func inWorkspace(field string) diff.Consequence {
	return diff.Consequence{Of: "messaging.workspace", When: "the workspace was created", Holds: func(it, of *diff.Change) bool {
		return it.Inserted() && of.Inserted() && it.After[field] == of.After["id"]
	}}
}

// withApp declares that what belongs to an app follows from its manifest, and is
// removed with the app.
var withApp = []diff.Consequence{{Of: "messaging.app", When: "the app was created, changed or removed", Holds: func(it, of *diff.Change) bool {
	return value(it, "app_id") == value(of, "app_id")
}}}

// acceptedBy reports whether a user joined by an invitation.
func acceptedBy(it, of *diff.Change) bool {
	return it.Updated() && of.Inserted() && it.After["accepted_by"] == of.After["id"]
}

// openedBy reports whether a direct conversation was opened for a message in it.
func openedBy(it, of *diff.Change) bool {
	return it.Inserted() && (it.After["is_im"] == true || it.After["is_mpim"] == true) && of.Inserted() && of.After["channel"] == it.After["id"]
}

// ofCreated reports whether a membership changed with the creation of its
// channel.
func ofCreated(it, of *diff.Change) bool {
	return it.Inserted() && of.Inserted() && it.After["channel"] == of.After["id"]
}

// gone reports whether a message was deleted or replaced by a tombstone.
func gone(ch *diff.Change) bool { return ch.Deleted() || textIn(ch.After, "subtype") == tombstone }

// value returns a field of an entity after the change, or before it if the entity
// was deleted.
func value(ch *diff.Change, field string) any {
	if ch.Deleted() {
		return ch.Before[field]
	}
	return ch.After[field]
}

// textIn returns a member of a body, which is JSON, as text.
func textIn(fields map[string]any, name string) string {
	s, _ := textOr(fields[name]).(string)
	return s
}

func textOr(v any) any {
	raw, ok := v.(json.RawMessage)
	var s string
	if ok && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return v
}

// plainMessage returns the text that people read in a message: its text and
// additional text of blocks and attachments, with names for mentions. If blocks
// were generated from the text, it returns only that of the blocks.
func plainMessage(tx *store.Tx, fields map[string]any) (string, error) {
	raw := func(name string) []byte { b, _ := fields[name].(json.RawMessage); return b }
	text := textIn(fields, "text")
	out := mrkdwn.Plain(text)
	if shown := mrkdwn.Plain(mrkdwn.PlainText(raw("blocks"))); shown != "" && shown != out {
		if shown == mrkdwn.Plain(mrkdwn.PlainText(mrkdwn.RichText(text, "", true, nil))) {
			out = shown
		} else {
			out = joinLines(out, shown)
		}
	}
	if len(raw("attachments")) > 0 {
		out = joinLines(out, attachmentWords(raw("attachments")))
	}
	return nameMentions(tx, textIn(fields, "team"), out)
}

func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
