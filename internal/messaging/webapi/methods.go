package webapi

import (
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/ratelimit"
)

// method is a row of the method table, which the dispatcher, the limiter, the
// docs and the guard tests read.
type method struct {
	name string
	tier tier
	// scopes lists the scopes of which each allows every call.
	scopes []string
	// kinds lists the scopes of which each allows calls on a kind of conversation.
	kinds kindScopes
	// kindOf returns the kind of conversation that a call would create.
	kindOf func(*call) messaging.Kind
	// peopleOnly rejects bot tokens without the method's scope.
	peopleOnly bool
	// reads marks a read-only method.
	reads   bool
	summary string
	run     func(*call) (*reply, error)

	acceptedHeader []string
	operations     []string // the method's name in recordings
}

type kindScopes map[messaging.Kind][]string

type tier int

const (
	tier2 tier = iota
	tier3
	tier4
	special
)

// policies are the token buckets of the tiers. The capacity is the tier's number
// of calls a minute; posting allows one a second for each channel, with bursts.
var policies = map[tier]ratelimit.Policy{
	tier2:   {Name: "tier2", Limit: 20, Window: time.Minute},
	tier3:   {Name: "tier3", Limit: 50, Window: time.Minute},
	tier4:   {Name: "tier4", Limit: 100, Window: time.Minute},
	special: {Name: "post", Limit: 1, Window: time.Second, Burst: 20},
}

var (
	readBy = kindScopes{messaging.Public: {"channels:read"}, messaging.Private: {"groups:read"},
		messaging.IM: {"im:read"}, messaging.MPIM: {"mpim:read"}}
	historyBy = kindScopes{messaging.Public: {"channels:history"}, messaging.Private: {"groups:history"},
		messaging.IM: {"im:history"}, messaging.MPIM: {"mpim:history"}}
	manageBy = kindScopes{messaging.Public: {"channels:manage", "channels:write"}, messaging.Private: {"groups:write"},
		messaging.IM: {"im:write"}, messaging.MPIM: {"mpim:write"}}
	inviteBy = kindScopes{messaging.Public: {"channels:manage", "channels:write", "channels:write.invites"},
		messaging.Private: {"groups:write", "groups:write.invites"}, messaging.IM: {"im:write"}, messaging.MPIM: {"mpim:write"}}
	topicBy = kindScopes{messaging.Public: {"channels:manage", "channels:write", "channels:write.topic"},
		messaging.Private: {"groups:write", "groups:write.topic"}, messaging.IM: {"im:write", "im:write.topic"},
		messaging.MPIM: {"mpim:write", "mpim:write.topic"}}
	joinBy = kindScopes{messaging.Public: {"channels:join", "channels:write"}, messaging.Private: {"channels:join", "channels:write"},
		messaging.IM: {"channels:join", "channels:write"}, messaging.MPIM: {"channels:join", "channels:write"}}
)

var methods = index([]method{
	{name: "auth.test", tier: tier4, reads: true, run: authTest, summary: "Tell who the token acts as."},

	{name: "chat.postMessage", tier: special, scopes: []string{"chat:write"}, run: postMessage, summary: "Post a message."},
	{name: "chat.update", tier: tier3, scopes: []string{"chat:write"}, run: updateMessage, summary: "Change a message."},
	{name: "chat.delete", tier: tier3, scopes: []string{"chat:write"}, run: deleteMessage, summary: "Delete a message."},

	{name: "conversations.list", tier: tier4, reads: true, kinds: readBy, run: listConversations, summary: "List conversations."},
	{name: "conversations.create", tier: tier2, kinds: manageBy, kindOf: createdKind, run: createConversation, summary: "Create a channel."},
	{name: "conversations.info", tier: tier4, reads: true, kinds: readBy, run: conversationInfo, summary: "Show a conversation."},
	{name: "conversations.history", tier: tier4, reads: true, kinds: historyBy, run: history, summary: "Read a conversation, newest first."},
	{name: "conversations.replies", tier: tier4, reads: true, kinds: historyBy, run: replies, summary: "Read a thread, parent first."},
	{name: "conversations.members", tier: tier3, reads: true, kinds: readBy, run: members, summary: "List the members of a conversation."},
	{name: "conversations.join", tier: tier3, kinds: joinBy, run: join, summary: "Join a public channel."},
	{name: "conversations.leave", tier: tier3, kinds: manageBy, run: leave, summary: "Leave a conversation."},
	{name: "conversations.archive", tier: tier2, kinds: manageBy, run: archive, summary: "Archive a channel."},
	{name: "conversations.invite", tier: tier3, kinds: inviteBy, run: invite, summary: "Add users to a channel."},
	{name: "conversations.kick", tier: tier3, kinds: manageBy, run: kick, summary: "Remove a user from a channel."},
	{name: "conversations.rename", tier: tier2, kinds: manageBy, run: rename, summary: "Rename a channel."},
	{name: "conversations.setTopic", tier: tier2, kinds: topicBy, run: setTopic, summary: "Set the topic of a conversation."},
	{name: "conversations.setPurpose", tier: tier2, kinds: topicBy, run: setPurpose, summary: "Set the purpose of a conversation."},
	{name: "conversations.open", tier: tier3, kinds: kindScopes{messaging.IM: {"im:write"}, messaging.MPIM: {"mpim:write"}},
		kindOf: openedKind, run: open, summary: "Open a direct or group message."},

	{name: "reactions.add", tier: tier3, scopes: []string{"reactions:write"}, run: addReaction, summary: "Add a reaction."},
	{name: "reactions.remove", tier: tier2, scopes: []string{"reactions:write"}, run: removeReaction, summary: "Remove a reaction."},

	{name: "users.list", tier: tier4, reads: true, scopes: []string{"users:read"}, run: listUsers, summary: "List users."},
	{name: "users.info", tier: tier4, reads: true, scopes: []string{"users:read"}, run: userInfo, summary: "Show a user."},
	{name: "users.profile.get", tier: tier4, reads: true, scopes: []string{"users.profile:read"}, run: getProfile, summary: "Show a profile."},
	{name: "users.profile.set", tier: tier3, scopes: []string{"users.profile:write"}, peopleOnly: true, run: setProfile, summary: "Change a profile."},
	{name: "users.setPresence", tier: tier2, scopes: []string{"users:write"}, run: setPresence, summary: "Set the caller's presence."},

	{name: "search.messages", tier: tier4, reads: true, scopes: []string{"search:read"}, peopleOnly: true, run: searchMessages, summary: "Search messages."},
})

func index(rows []method) map[string]*method {
	out := make(map[string]*method, len(rows))
	for i := range rows {
		rows[i].operations = []string{messaging.Name + "." + rows[i].name}
		rows[i].acceptedHeader = []string{rows[i].accepted()}
		out[rows[i].name] = &rows[i]
	}
	return out
}

// OperationNames returns the names of all methods.
func OperationNames() (names []string) {
	for _, m := range methods {
		names = append(names, m.operations...)
	}
	return names
}
