package messaging

import (
	"slices"
	"strings"
)

// An eventType is an event type that an app can subscribe to.
type eventType struct {
	name  string
	scope string // that a subscription needs; after "by kind:" it depends on the kind of conversation
	all   bool   // visible to the whole workspace even if it happened in a conversation
	never bool   // known upstream, but never emitted here
	user  bool   // contains a user object, with an e-mail address
}

const byKindOf = "by kind:"

// eventTypes are the types of the upstream Events API. The payload of the
// outbox is the inner event.
var eventTypes = []eventType{
	{name: "message", scope: byKindOf + "history"},
	{name: "app_mention", scope: "app_mentions:read"},
	{name: "reaction_added", scope: "reactions:read"}, {name: "reaction_removed", scope: "reactions:read"},
	{name: "channel_created", scope: "channels:read", all: true}, {name: "channel_archive", scope: "channels:read", all: true},
	{name: "channel_rename", scope: "channels:read", all: true}, {name: "channel_left", scope: "channels:read"},
	{name: "group_archive", scope: "groups:read"}, {name: "group_rename", scope: "groups:read"}, {name: "group_left", scope: "groups:read"},
	{name: "im_created", scope: "im:read"}, {name: "im_open", scope: "im:read"},
	{name: "member_joined_channel", scope: byKindOf + "read"}, {name: "member_left_channel", scope: byKindOf + "read"},
	{name: "user_change", scope: "users:read", user: true}, {name: "user_profile_changed", scope: "users:read", user: true},
	{name: "user_status_changed", scope: "users:read", user: true}, {name: "team_join", scope: "users:read", user: true},
	{name: "presence_change", scope: "users:read"},
	{name: "message_metadata_posted", scope: "metadata.message:read"}, {name: "message_metadata_updated", scope: "metadata.message:read"},
	{name: "message_metadata_deleted", scope: "metadata.message:read"},
	{name: "link_shared", scope: "links:read"},

	{name: "channel_unarchive", scope: "channels:read", never: true}, {name: "channel_deleted", scope: "channels:read", never: true},
	{name: "channel_history_changed", scope: "channels:history", never: true}, {name: "channel_shared", scope: "channels:read", never: true},
	{name: "channel_unshared", scope: "channels:read", never: true}, {name: "channel_id_changed", scope: "channels:read", never: true},
	{name: "group_unarchive", scope: "groups:read", never: true}, {name: "group_deleted", scope: "groups:read", never: true},
	{name: "group_history_changed", scope: "groups:history", never: true}, {name: "group_open", scope: "groups:read", never: true},
	{name: "group_close", scope: "groups:read", never: true},
	{name: "im_close", scope: "im:read", never: true}, {name: "im_history_changed", scope: "im:history", never: true},
	{name: "user_huddle_changed", scope: "users:read", never: true},
	{name: "pin_added", scope: "pins:read", never: true}, {name: "pin_removed", scope: "pins:read", never: true},
	{name: "star_added", scope: "stars:read", never: true}, {name: "star_removed", scope: "stars:read", never: true},
	{name: "emoji_changed", scope: "emoji:read", never: true},
	{name: "dnd_updated", scope: "dnd:read", never: true}, {name: "dnd_updated_user", scope: "dnd:read", never: true},
	{name: "subteam_created", scope: "usergroups:read", never: true}, {name: "subteam_updated", scope: "usergroups:read", never: true},
	{name: "subteam_members_changed", scope: "usergroups:read", never: true}, {name: "subteam_self_added", scope: "usergroups:read", never: true},
	{name: "subteam_self_removed", scope: "usergroups:read", never: true},
	{name: "file_created", scope: "files:read", never: true}, {name: "file_change", scope: "files:read", never: true},
	{name: "file_deleted", scope: "files:read", never: true}, {name: "file_public", scope: "files:read", never: true},
	{name: "file_shared", scope: "files:read", never: true}, {name: "file_unshared", scope: "files:read", never: true},
	{name: "app_home_opened", never: true}, {name: "app_uninstalled", never: true}, {name: "tokens_revoked", never: true},
	{name: "app_rate_limited", never: true}, {name: "app_requested", never: true}, {name: "app_context_changed", never: true},
	{name: "assistant_thread_started", scope: "assistant:write", never: true},
	{name: "assistant_thread_context_changed", scope: "assistant:write", never: true},
	{name: "agent_session_stopped", never: true}, {name: "agent_session_title_changed", never: true},
	{name: "message.app_home", scope: "im:history", never: true},
	{name: "team_rename", scope: "team:read", never: true}, {name: "team_domain_change", scope: "team:read", never: true},
	{name: "function_executed", never: true},
}

// messagesByKind are the event types for messages of one kind of conversation.
var messagesByKind = []string{"message.channels", "message.groups", "message.im", "message.mpim"}

var eventByName = func() map[string]*eventType {
	out := make(map[string]*eventType, len(eventTypes))
	for i := range eventTypes {
		out[eventTypes[i].name] = &eventTypes[i]
	}
	return out
}()

// canBeAsked reports whether an app can subscribe to an event type.
func canBeAsked(name string) bool {
	return eventByName[name] != nil || slices.Contains(messagesByKind, name)
}

// EventTypes returns the names of the events that the service emits.
func EventTypes() (out []string) {
	for _, t := range eventTypes {
		if !t.never {
			out = append(out, t.name)
		}
	}
	return out
}

// CarriesUser reports whether an event contains a user object, whose e-mail
// address needs a scope.
func CarriesUser(event string) bool {
	t := eventByName[event]
	return t != nil && t.user
}

// neededScope returns the scope that receiving an event requires; "" for none.
func neededScope(event string, kind Kind) string {
	t := eventByName[event]
	if t == nil {
		return ""
	}
	if name, found := strings.CutPrefix(t.scope, byKindOf); found {
		return byKind[kind] + ":" + name
	}
	return t.scope
}

// concernsAll reports whether everybody in the workspace may see an event of a
// conversation.
func concernsAll(event string) bool {
	t := eventByName[event]
	return t != nil && t.all
}
