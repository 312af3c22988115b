package control

import (
	"understudy/internal/messaging"
	"understudy/internal/platform/apidocs"
)

// toOwnClients is the description of events for one person.
const toOwnClients = "A Socket.IO event at `{base_url}/socket.io/`, to all connections of the person and to nobody else."

// clientEvents are Socket.IO events that upstream's Events API lacks: they keep a
// client's list of conversations up to date.
var clientEvents = []apidocs.Event{
	clientEvent("channel_joined", "The person has come into a conversation.",
		members([]string{"type", "channel"}, apidocs.Schema{"type": named("channel_joined"), "channel": text("The conversation's id.")})),
	clientEvent("channel_left", "The person has left a conversation, or was removed from it. For a public channel it is the event of the Events API, with actor_id, where the connection has the scope channels:read.",
		members([]string{"type", "channel"}, apidocs.Schema{"type": named("channel_left"), "channel": text("The conversation's id."),
			"actor_id": text("Who removed the person, or the person."), "event_ts": text("")})),
	{Name: "channel_rename", Group: realtime, Summary: "A public channel has another name.",
		Description: "A Socket.IO event at `{base_url}/socket.io/`, to every connection in the workspace with the scope `channels:read`; `group_rename`, with the same payload, goes to the members of a private channel.",
		Payload: members([]string{"type", "channel"}, apidocs.Schema{"type": named("channel_rename"), "channel": apidocs.Schema{"type": "object",
			"required": []string{"id", "name"}, "properties": apidocs.Schema{"id": text(""), "name": text(""), "created": apidocs.Schema{"type": "integer"},
				"name_normalized": text(""), "is_channel": apidocs.Schema{"type": "boolean"}, "is_mpim": apidocs.Schema{"type": "boolean"}}}, "event_ts": text("")})},
	clientEvent("channel_marked", "The person has read, or starred, a conversation: the reply of `PUT /api/client/read` and `PUT /api/client/stars`.", messaging.Mark{}),
	clientEvent("app_changed", "An app that the person has changed, or something that belongs to it.", members([]string{"app_id"}, apidocs.Schema{"app_id": text("")})),
	clientEvent("ephemeral_message", "An app has shown the person something that nobody else sees, has replaced it or has taken it away.",
		members([]string{"channel", "user"}, apidocs.Schema{"channel": text(""), "user": text(""),
			"message":  apidocs.Schema{"type": "object", "description": "The message, with is_ephemeral. Its ts names it in replaces and deleted alone.", "required": []string{"ts", "is_ephemeral"}},
			"replaces": text("The ts of the one that it takes the place of."), "deleted": text("The ts of the one that is gone.")})),
}

// realtime is the section of the events in the docs.
const realtime = "realtime"

func clientEvent(name, summary string, payload any) apidocs.Event {
	return apidocs.Event{Name: name, Group: realtime, Summary: summary, Description: toOwnClients, Payload: payload}
}

func members(required []string, properties apidocs.Schema) apidocs.Schema {
	return apidocs.Schema{"type": "object", "required": required, "properties": properties}
}

func named(name string) apidocs.Schema { return apidocs.Schema{"type": "string", "const": name} }

func text(description string) apidocs.Schema {
	if description == "" {
		return apidocs.Schema{"type": "string"}
	}
	return apidocs.Schema{"type": "string", "description": description}
}
