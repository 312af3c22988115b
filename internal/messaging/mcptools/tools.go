package mcptools

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"understudy/internal/platform/mcpkit"
)

type tool = mcpkit.Tool[*Client]

// Arguments of several tools.
var (
	channelArg = mcpkit.Arg{Name: "channel_id", Aliases: []string{"channel"}, Required: true, Example: "C0123456789",
		Description: "Id of the channel or direct message, as msg_list_channels or msg_open_dm give it."}
	threadArg = mcpkit.Arg{Name: "thread_ts", Aliases: []string{"ts"}, Required: true, Example: "1712345678.123456",
		Description: "The ts of the thread's first message, as a text with all its digits."}
	cursorArg = mcpkit.Arg{Name: "cursor",
		Description: "Where to go on: response_metadata.next_cursor of the page before. Leave it out for the first page."}
)

func limitArg(standard, most int, what string) mcpkit.Arg {
	return mcpkit.Arg{Name: "limit", Kind: mcpkit.Count, Default: standard, Min: 1, Max: most,
		Description: "How many " + what + " to return at most. Fewer may come when they are large: look at the cursor."}
}

// historyScopes are the scopes of which reading messages needs at least one.
var historyScopes = []string{"channels:history", "groups:history", "im:history", "mpim:history"}

// table holds the tools in the order of the reference server, followed by
// additional ones.
var table = mcpkit.NewTable(
	tool{Name: "msg_list_channels", Title: "List channels", Scopes: []string{"channels:read"}, Output: channelsOut,
		Description: "List the public channels of the workspace, archived ones left out, with id, name, topic, purpose, number of members and " +
			"whether you are a member. Use it to find the channel_id that other tools need.",
		Args: []mcpkit.Arg{limitArg(100, 200, "channels"), cursorArg}, Run: listChannels},
	tool{Name: "msg_post_message", Title: "Post a message", Scopes: []string{"chat:write"}, Output: postedOut, Effect: mcpkit.Creates,
		Description: "Post a new message to a channel or direct message. The reply holds its ts, which names the message from then on. " +
			"To answer a message, use msg_reply_to_thread instead.",
		Args: []mcpkit.Arg{channelArg, textArg("message")}, Run: postMessage},
	tool{Name: "msg_reply_to_thread", Title: "Reply in a thread", Scopes: []string{"chat:write"}, Output: postedOut, Effect: mcpkit.Creates,
		Description: "Answer a message in its thread. The thread is begun when the message has none.",
		Args:        []mcpkit.Arg{channelArg, threadArg, textArg("reply")}, Run: replyToThread},
	tool{Name: "msg_add_reaction", Title: "Add a reaction", Scopes: []string{"reactions:write"}, Output: okOut, Effect: mcpkit.Ensures,
		Description: "Put an emoji reaction on a message.",
		Args: []mcpkit.Arg{channelArg,
			{Name: "timestamp", Aliases: []string{"ts"}, Required: true, Example: "1712345678.123456",
				Description: "The ts of the message, as a text with all its digits."},
			{Name: "reaction", Aliases: []string{"name", "emoji"}, Required: true, Example: "thumbsup",
				Description: "Name of the emoji, without colons."}},
		Run: addReaction},
	tool{Name: "msg_get_channel_history", Title: "Read a channel", Scopes: historyScopes, Output: messagesOut,
		Description: "Read the latest messages of a channel or direct message, newest first. Replies in threads are not among them: " +
			"a message with reply_count has some, which msg_get_thread_replies reads.",
		Args: []mcpkit.Arg{channelArg, limitArg(10, 999, "messages"), cursorArg,
			{Name: "oldest", Description: "Only messages after this timestamp (seconds since 1970, fractions allowed).", Example: "1712345678.000000"},
			{Name: "latest", Description: "Only messages before this timestamp.", Example: "1712345678.000000"}},
		Run: channelHistory},
	tool{Name: "msg_get_thread_replies", Title: "Read a thread", Scopes: historyScopes, Output: messagesOut,
		Description: "Read a thread: its first message, then the replies, oldest first. Each page begins with the first message again.",
		Args:        []mcpkit.Arg{channelArg, threadArg, limitArg(100, 1000, "messages"), cursorArg}, Run: threadReplies},
	tool{Name: "msg_get_users", Title: "List users", Scopes: []string{"users:read"}, Output: usersOut,
		Description: "List the users of the workspace, people and bots, with id, handle, real name and profile. Use it to find the user_id that other tools need, " +
			"or to put names to the ids in messages.",
		Args: []mcpkit.Arg{cursorArg, limitArg(100, 200, "users")}, Run: getUsers},
	tool{Name: "msg_get_user_profile", Title: "Show a user's profile", Scopes: []string{"users.profile:read"}, Output: profileOut,
		Description: "Show the profile of one user: names, title, phone, status, pictures and, where the token may see it, e-mail address.",
		Args:        []mcpkit.Arg{userArg("Id of the user, as msg_get_users returns it.")}, Run: userProfile},
	tool{Name: "msg_auth_test", Title: "Who am I", Output: identityOut,
		Description: "Tell who you act as: your user id, your bot id when you are a bot, and the workspace. Takes no arguments.",
		Run:         authTest},
	tool{Name: "msg_search_messages", Title: "Search messages", Scopes: []string{"search:read"}, Output: searchOut,
		Description: "Search the messages of the conversations that you can see. Words must all occur; modifiers narrow: in:channel-name, from:handle, " +
			"\"an exact phrase\", -word, before:2025-01-31, after:2025-01-01, on:2025-01-15, has:link, has:reaction. Matches name their channel, ts and permalink.",
		Args: []mcpkit.Arg{
			{Name: "query", Required: true, Description: "What to look for.", Example: "deploy in:general from:sam"},
			{Name: "count", Aliases: []string{"limit"}, Kind: mcpkit.Count, Default: 20, Min: 1, Max: 100, Description: "How many matches a page has at most."},
			{Name: "page", Kind: mcpkit.Integer, Default: 1, Min: 1, Max: 100, Description: "Which page. messages.paging.pages of the reply is how many there are."},
			{Name: "sort", Enum: []string{"score", "timestamp"}, Default: "score", Description: "Best first, or by time."},
			{Name: "sort_dir", Enum: []string{"desc", "asc"}, Default: "desc", Description: "Direction of the order."}},
		Run: searchMessages},
	tool{Name: "msg_open_dm", Title: "Open a direct message", Scopes: []string{"im:write", "mpim:write"}, Output: openedOut, Effect: mcpkit.Ensures,
		Description: "Open the direct message with a user, or find the one that is there. Post to the channel.id of the reply with msg_post_message. " +
			"Several user ids, separated by commas, open a group message.",
		Args: []mcpkit.Arg{userArg("Id of the user, as msg_get_users returns it; for a group message up to 8 ids separated by commas.")}, Run: openDM},
)

func textArg(what string) mcpkit.Arg {
	return mcpkit.Arg{Name: "text", Required: true, Example: "Deployed :rocket:",
		Description: "Text of the " + what + ", in mrkdwn: *bold*, _italic_, `code`, <@USER_ID>, <https://example.com|label>. Up to 40,000 characters; 4,000 read well."}
}

func userArg(description string) mcpkit.Arg {
	return mcpkit.Arg{Name: "user_id", Aliases: []string{"user", "users", "user_ids"}, Required: true, Example: "U0123456789", Description: description}
}

// values returns the arguments of a method, without those that are empty.
func values(pairs ...string) url.Values {
	out := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out.Set(pairs[i], pairs[i+1])
		}
	}
	return out
}

// one calls a method that returns a single object.
func (c *Client) one(ctx context.Context, method string, args url.Values) (json.RawMessage, error) {
	r, err := c.call(ctx, method, args)
	if err != nil {
		return nil, err
	}
	return cut(r.raw)
}

func listChannels(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.page(ctx, "conversations.list", values("types", "public_channel", "exclude_archived", "true", "cursor", a.Text("cursor")),
		"channels", a.Int("limit"))
}

func postMessage(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "chat.postMessage", values("channel", a.Text("channel_id"), "text", a.Text("text")))
}

func replyToThread(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "chat.postMessage", values("channel", a.Text("channel_id"), "thread_ts", timestamp(a.Text("thread_ts")), "text", a.Text("text")))
}

func addReaction(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "reactions.add", values("channel", a.Text("channel_id"), "timestamp", timestamp(a.Text("timestamp")),
		"name", strings.Trim(a.Text("reaction"), ":")))
}

func channelHistory(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.page(ctx, "conversations.history", values("channel", a.Text("channel_id"), "cursor", a.Text("cursor"),
		"oldest", a.Text("oldest"), "latest", a.Text("latest")), "messages", a.Int("limit"))
}

func threadReplies(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.page(ctx, "conversations.replies", values("channel", a.Text("channel_id"), "ts", timestamp(a.Text("thread_ts")),
		"cursor", a.Text("cursor")), "messages", a.Int("limit"))
}

func getUsers(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.page(ctx, "users.list", values("cursor", a.Text("cursor")), "members", a.Int("limit"))
}

func userProfile(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "users.profile.get", values("user", a.Text("user_id"), "include_labels", "true"))
}

func authTest(ctx context.Context, c *Client, _ mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "auth.test", nil)
}

func openDM(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	return c.one(ctx, "conversations.open", values("users", a.Text("user_id")))
}

// searchMessages numbers its pages. A page that is too long is requested again
// with fewer matches: with a divisor of the limit, so that page boundaries still
// match.
func searchMessages(ctx context.Context, c *Client, a mcpkit.Args) (json.RawMessage, error) {
	count, page := a.Int("count"), a.Int("page")
	for {
		r, err := c.call(ctx, "search.messages", values("query", a.Text("query"), "count", strconv.Itoa(count), "page", strconv.Itoa(page),
			"sort", a.Text("sort"), "sort_dir", a.Text("sort_dir")))
		if err != nil {
			return nil, err
		}
		if len(r.raw) <= mcpkit.MaxResult || count == 1 {
			return cut(r.raw)
		}
		var found struct {
			Messages struct {
				Matches []json.RawMessage `json:"matches"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(r.raw, &found); err != nil {
			return nil, err
		}
		smaller := max(1, min(count-1, mcpkit.Fitting(found.Messages.Matches)))
		for count%smaller != 0 {
			smaller--
		}
		page, count = (page-1)*(count/smaller)+1, smaller
	}
}

// timestamp inserts the missing dot into a timestamp.
func timestamp(ts string) string {
	ts = strings.TrimPrefix(ts, "p") // as permalinks write it
	if len(ts) == 16 && !strings.Contains(ts, ".") {
		return ts[:10] + "." + ts[10:]
	}
	return ts
}

// OperationNames returns the names of tool calls in recordings.
func OperationNames() []string { return table.Operations() }
