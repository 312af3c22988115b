package messaging

import (
	"strings"

	"understudy/internal/platform/diff"
)

var (
	team      = diff.As("team_id", diff.Text).Refers("messaging.workspace")
	createdBy = diff.As("created_by", diff.Text).Refers("messaging.user")
	byID      = func(r diff.Row) string { return r.Text("id") }
	inChannel = diff.As("channel", diff.Text).Refers("messaging.channel")

	hidden = func(r diff.Row) bool { return r.Bool("deleted") }
)

// Entities declares the entities of messaging for diffs.
func Entities() []diff.Entity {
	return append(append(peopleEntities(), conversationEntities()...), integrationEntities()...)
}

func peopleEntities() []diff.Entity {
	return []diff.Entity{
		{Name: "workspace", Table: "msg_workspace", Key: []string{"id"}, Gone: hidden, Columns: map[string]diff.Column{
			"id": diff.As("id", diff.Text), "name": diff.As("name", diff.Text), "domain": diff.As("domain", diff.Text),
			"created": diff.As("created_at", diff.Time), "deleted": diff.Used("marks who is gone"),
			"is_open": diff.As("open", diff.Bool),
		}, Lookup: &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}, {Column: "domain"}, {Column: "name"}}}},
		{Name: "user", Table: "msg_user", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"workspace": team, "id": diff.As("id", diff.Text), "name": diff.As("name", diff.Text), "email": diff.As("profile.email", diff.Text),
			"is_admin": diff.As("is_admin", diff.Bool), "is_owner": diff.As("is_owner", diff.Bool), "deleted": diff.As("deleted", diff.Bool),
			"bot_id": diff.As("profile.bot_id", diff.Text).Plain("bots are known by their users"), "app_id": diff.As("profile.api_app_id", diff.Text).Refers("messaging.app"),
			"presence": diff.As("presence", diff.Text), "tz": diff.As("tz", diff.Text), "profile": diff.Members("profile."),
			"updated": diff.As("updated", diff.Unix).Derived(), "account": diff.Out("accounts are entities of their own"),
			"status_expires": diff.Out("stands in the profile"),
			"created":        diff.Out("not on the wire"),
		}, Add: func(r diff.Row, f map[string]any) { f["is_bot"] = r.Text("bot_id") != "" }, More: profileFields(),
			Lookup: &diff.Lookup{Value: "id", Mark: "@", By: []diff.Name{{Column: "id"}, {Column: "name"}, {Column: "email", Fold: true}}},
			Consequences: []diff.Consequence{{Of: "messaging.app", When: "it is the bot of an app that was created, changed or removed", Holds: botOf},
				inWorkspace("team_id"),
				{Of: "messaging.invitation", When: "the invitation was accepted", Holds: func(it, of *diff.Change) bool { return it.Inserted() && of.Updated() }}}},
		{Name: "emoji", Table: "msg_emoji", Key: []string{"workspace", "name"}, KeyOf: func(r diff.Row) string { return r.Text("name") }, KeyForm: "name",
			Columns: map[string]diff.Column{"workspace": team, "name": diff.As("name", diff.Text), "url": diff.As("url", diff.Text),
				"created": diff.Out("not on the wire")}},
		{Name: "app", Table: "msg_app", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "app_id", Gone: hidden, Columns: map[string]diff.Column{
			"workspace": team, "id": diff.As("app_id", diff.Text).Plain("its own id"), "name": diff.As("name", diff.Text), "manifest": diff.As("manifest", diff.JSON),
			"bot_id": diff.As("bot_id", diff.Text).Plain("bots are known by their users"), "bot_user_id": diff.As("bot_user_id", diff.Text).Refers("messaging.user"),
			"bot_scopes": diff.As("scopes.bot", diff.List(",")), "user_scopes": diff.As("scopes.user", diff.List(",")),
			"creator": createdBy, "created": diff.As("created_at", diff.Time),
			"seeded_as": diff.Out("a name of a seed document"),
			"rotation":  diff.Out("what tokens are derived from; the tokens are entities of their own"), "deleted": diff.Used("marks what was deleted"),
		}, Lookup: &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}, {Column: "name"}}}, Consequences: []diff.Consequence{inWorkspace("team_id")}},
	}
}

func conversationEntities() []diff.Entity {
	return []diff.Entity{
		{Name: "channel", Table: "msg_channel", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"workspace": diff.As("context_team_id", diff.Text).Refers("messaging.workspace"), "id": diff.As("id", diff.Text), "kind": diff.Used("decides is_private and the like"),
			"name": diff.As("name", diff.Text), "creator": diff.As("creator", diff.Text).Refers("messaging.user"), "created": diff.As("created", diff.Unix),
			"updated": diff.As("updated", diff.UnixMilli).Derived(), "archived": diff.As("is_archived", diff.Bool), "is_general": diff.As("is_general", diff.Bool),
			"topic": diff.As("topic.value", diff.Text), "topic_creator": diff.As("topic.creator", diff.Text).Refers("messaging.user").Derived(), "topic_set": diff.As("topic.last_set", diff.Unix).Derived(),
			"purpose": diff.As("purpose.value", diff.Text), "purpose_creator": diff.As("purpose.creator", diff.Text).Refers("messaging.user").Derived(),
			"purpose_set": diff.As("purpose.last_set", diff.Unix).Derived(), "previous_names": diff.As("previous_names", diff.List(",")).Derived(),
			"members": diff.As("num_members", diff.Int).Derived(), "member_key": diff.Out("made of the members of a direct message"),
			"last_ts": diff.Out("where the next ts comes from"), "version": diff.Out("for caches"),
		}, Add: func(r diff.Row, f map[string]any) {
			k := Kind(r.Text("kind"))
			f["is_channel"], f["is_im"], f["is_mpim"], f["is_private"] = k == Public || k == Private, k == IM, k == MPIM, k != Public
		}, More: []diff.Field{diff.F("is_channel", "boolean"), diff.F("is_im", "boolean"), diff.F("is_mpim", "boolean"), diff.F("is_private", "boolean")},
			Lookup: &diff.Lookup{Value: "id", Mark: "#", By: []diff.Name{{Column: "id"}, {Column: "name"}}},
			Consequences: []diff.Consequence{{Of: "messaging.message", When: "it is a direct conversation that the message opened", Holds: openedBy},
				inWorkspace("context_team_id")}},
		{Name: "member", Table: "msg_member", Key: []string{"workspace", "channel", "user_id"},
			KeyOf: func(r diff.Row) string { return r.Text("channel") + "/" + r.Text("user_id") }, KeyForm: "channel/user",
			Columns: map[string]diff.Column{
				"workspace": team, "channel": inChannel, "user_id": diff.As("user", diff.Text).Refers("messaging.user"),
				"last_read": diff.As("last_read", diff.TS).Derived(), "starred": diff.As("starred", diff.Bool), "joined": diff.Out("not on the wire"),
			}, Consequences: []diff.Consequence{{Of: "messaging.channel", When: "the channel was created", Holds: ofCreated},
				{Of: "messaging.user", When: "the user is new", Holds: func(it, of *diff.Change) bool {
					return it.Inserted() && of.Inserted() && it.After["user"] == of.After["id"]
				}}}},
		{Name: "message", Table: "msg_message", Key: []string{"id"}, Gone: hidden,
			KeyOf: func(r diff.Row) string {
				return string(TS(r.Int("ts")).append(append(append(make([]byte, 0, 64), r.Text("channel")...), '/')))
			}, KeyForm: "channel/ts",
			Columns: map[string]diff.Column{
				"id": diff.Out("a number of the table"), "workspace": diff.As("team", diff.Text).Refers("messaging.workspace"), "channel": inChannel,
				"listed": diff.Out("follows from thread_ts and subtype"), "ts": diff.As("ts", diff.TS), "thread_ts": diff.Out("stands in the body"),
				"user_id": diff.Out("stands in the body"), "subtype": diff.Out("stands in the body"), "body": diff.Members(""),
				"metadata": diff.As("metadata", diff.JSON), "reactions": diff.Out("reactions are entities of their own"),
				"reply_count": diff.As("reply_count", diff.Int).Derived(), "reply_users": diff.As("reply_users", diff.List(",")).Derived(),
				"latest_reply": diff.As("latest_reply", diff.TS).Derived(), "client_msg_id": diff.Out("stands in the body"),
				"words": diff.Out("for search"), "deleted": diff.Used("marks what was deleted"),
			}, Add: alone, More: messageFields(), Plain: plainMessage, Consequences: messageConsequences()},
		{Name: "reaction", Table: "msg_reaction", Key: []string{"workspace", "channel", "ts", "name", "user_id"},
			KeyOf: func(r diff.Row) string {
				return strings.Join([]string{r.Text("channel"), TS(r.Int("ts")).String(), r.Text("name"), r.Text("user_id")}, "/")
			}, KeyForm: "channel/ts/name/user",
			Columns: map[string]diff.Column{
				"workspace": team, "channel": inChannel, "ts": diff.As("ts", diff.TS), "name": diff.As("name", diff.Text),
				"user_id": diff.As("user", diff.Text).Refers("messaging.user"), "added": diff.Out("not on the wire"),
			}, Consequences: []diff.Consequence{{Of: "messaging.message", When: "the message was deleted", Holds: func(it, of *diff.Change) bool {
				return it.Deleted() && gone(of) && it.Before["channel"] == value(of, "channel") && it.Before["ts"] == value(of, "ts")
			}}}},
	}
}

// alone removes from a message without replies or metadata the members that only
// other messages have on the wire.
func alone(r diff.Row, f map[string]any) {
	if r.Int("reply_count") == 0 {
		delete(f, "reply_count")
		delete(f, "reply_users")
		delete(f, "latest_reply")
	}
	if f["metadata"] == nil {
		delete(f, "metadata")
	}
}

func integrationEntities() []diff.Entity {
	created := diff.As("created_at", diff.Time)
	return []diff.Entity{
		{Name: "subscription", Table: "msg_subscription", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "id",
			NameOf: func(r diff.Row) string {
				if SubscriptionKind(r.Text("kind")) == Outgoing {
					return "outgoing_webhook"
				}
				return "subscription"
			}, Sorts: []string{"subscription", "outgoing_webhook"},
			Columns: map[string]diff.Column{
				"workspace": team, "id": diff.As("id", diff.Text), "kind": diff.Used("distinguishes webhooks from subscriptions"), "app": diff.As("app_id", diff.Text).Refers("messaging.app"),
				"viewer": diff.Out("follows from the app and the creator"), "url": diff.As("url", diff.Text), "event_types": diff.As("event_types", diff.List(",")),
				"status": diff.As("status", diff.Text), "name": diff.As("name", diff.Text), "channel": diff.As("channel", diff.Ref).Refers("messaging.channel"),
				"trigger_words": diff.As("trigger_words", diff.JSON), "creator": createdBy, "created": created,
			}, Consequences: withApp},
		{Name: "incoming_webhook", Table: "msg_webhook", Key: []string{"workspace", "ref"}, KeyOf: func(r diff.Row) string { return r.Text("ref") }, KeyForm: "ref",
			Columns: map[string]diff.Column{
				"workspace": team, "ref": diff.Used("the key: the id that clients know is a secret"), "hash": diff.Out("of a secret"),
				"app": diff.As("app_id", diff.Text).Refers("messaging.app"), "channel": inChannel, "name": diff.As("name", diff.Text),
				"creator": createdBy, "created": created,
			}, Consequences: withApp},
		{Name: "invitation", Table: "msg_invitation", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"workspace": team, "id": diff.As("id", diff.Text), "email": diff.As("email", diff.Text), "hash": diff.Out("of a secret"),
			"creator": createdBy, "created": created, "expires": diff.As("expires_at", diff.Time),
			"user_id": diff.As("accepted_by", diff.Ref).Refers("messaging.user"),
		}, Consequences: []diff.Consequence{{Of: "messaging.user", When: "the user accepted it", Holds: acceptedBy}}},
		{Name: "command", Table: "msg_command", Key: []string{"workspace", "id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"workspace": team, "id": diff.As("id", diff.Text), "app": diff.As("app_id", diff.Text).Refers("messaging.app"), "command": diff.As("command", diff.Text),
			"url": diff.As("url", diff.Text), "description": diff.As("description", diff.Text), "usage_hint": diff.As("usage_hint", diff.Text),
			"should_escape": diff.As("should_escape", diff.Bool), "creator": createdBy, "created": created,
		}, Consequences: withApp},
	}
}
