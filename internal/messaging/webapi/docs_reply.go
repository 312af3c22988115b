package webapi

import "understudy/internal/messaging"

// The replies of the methods as the docs describe them. Members that are absent
// in some replies are optional. A refusal has ok, error and, for some codes, the
// members of refusalReply in their place.

type okReply struct {
	OK      bool   `json:"ok" required:"true"`
	Warning string `json:"warning,omitempty" description:"Codes, separated by commas, of what was noticed."`
	refusalReply
}

type refusalReply struct {
	Error    string         `json:"error,omitempty" description:"The code, when ok is false."`
	Needed   string         `json:"needed,omitempty" description:"With missing_scope: the scopes of which any would do."`
	Provided string         `json:"provided,omitempty" description:"With missing_scope: the scopes of the token."`
	Errors   []any          `json:"errors,omitempty" description:"With invalid_blocks: what is wrong and where. With an invitation: the users who could not be added."`
	Metadata *replyMetadata `json:"response_metadata,omitempty"`
}

type replyMetadata struct {
	NextCursor string   `json:"next_cursor,omitempty" description:"Where the next page begins; empty on the last one."`
	Messages   []string `json:"messages,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
}

// messageReply is a message. Which members it has depends on how it was made.
type messageReply struct {
	Type            string           `json:"type" required:"true"`
	Subtype         string           `json:"subtype,omitempty" description:"Such as bot_message, thread_broadcast, channel_join or tombstone."`
	User            string           `json:"user,omitempty"`
	Text            string           `json:"text" required:"true"`
	TS              string           `json:"ts" required:"true" description:"Seconds, a dot and six digits; the message's id in its conversation."`
	Team            string           `json:"team,omitempty"`
	ClientMsgID     string           `json:"client_msg_id,omitempty"`
	BotID           string           `json:"bot_id,omitempty"`
	AppID           string           `json:"app_id,omitempty"`
	IsBot           bool             `json:"is_bot,omitempty"`
	BotProfile      map[string]any   `json:"bot_profile,omitempty"`
	Username        string           `json:"username,omitempty"`
	Icons           map[string]any   `json:"icons,omitempty"`
	Blocks          []map[string]any `json:"blocks,omitempty"`
	Attachments     []map[string]any `json:"attachments,omitempty"`
	Edited          *editedReply     `json:"edited,omitempty"`
	ThreadTS        string           `json:"thread_ts,omitempty"`
	ParentUserID    string           `json:"parent_user_id,omitempty"`
	ReplyCount      int              `json:"reply_count,omitempty"`
	ReplyUsersCount int              `json:"reply_users_count,omitempty"`
	LatestReply     string           `json:"latest_reply,omitempty"`
	ReplyUsers      []string         `json:"reply_users,omitempty"`
	IsLocked        bool             `json:"is_locked,omitempty"`
	Subscribed      bool             `json:"subscribed,omitempty"`
	Reactions       []reactionReply  `json:"reactions,omitempty"`
	Metadata        map[string]any   `json:"metadata,omitempty"`
	Root            map[string]any   `json:"root,omitempty" description:"Of a broadcast reply: its parent."`
	Hidden          bool             `json:"hidden,omitempty"`
}

type editedReply struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

type reactionReply struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
	Count int      `json:"count"`
}

type authReply struct {
	okReply
	URL                 string `json:"url,omitempty"`
	Team                string `json:"team,omitempty"`
	User                string `json:"user,omitempty" description:"The handle."`
	TeamID              string `json:"team_id,omitempty"`
	UserID              string `json:"user_id,omitempty"`
	BotID               string `json:"bot_id,omitempty" description:"Of a bot token."`
	IsEnterpriseInstall bool   `json:"is_enterprise_install,omitempty"`
}

type postReply struct {
	okReply
	Channel     string        `json:"channel,omitempty"`
	TS          string        `json:"ts,omitempty"`
	Message     *messageReply `json:"message,omitempty"`
	IsDuplicate bool          `json:"is_duplicate,omitempty" description:"The client_msg_id was posted before; this is that message."`
}

type updateReply struct {
	okReply
	Channel string        `json:"channel,omitempty"`
	TS      string        `json:"ts,omitempty"`
	Text    string        `json:"text,omitempty"`
	Message *messageReply `json:"message,omitempty"`
}

type deleteReply struct {
	okReply
	Channel string `json:"channel,omitempty"`
	TS      string `json:"ts,omitempty"`
}

type channelsReply struct {
	okReply
	Channels []messaging.ChannelObject `json:"channels,omitempty"`
}

type channelReply struct {
	okReply
	Channel *messaging.ChannelObject `json:"channel,omitempty"`
}

type labelReply struct {
	channelReply
	Topic   string `json:"topic,omitempty"`
	Purpose string `json:"purpose,omitempty"`
}

type openReply struct {
	channelReply
	NoOp        bool `json:"no_op,omitempty"`
	AlreadyOpen bool `json:"already_open,omitempty"`
}

type leaveReply struct {
	okReply
	NotInChannel bool `json:"not_in_channel,omitempty" description:"The caller was no member."`
}

type messagesReply struct {
	okReply
	Messages []messageReply `json:"messages,omitempty"`
	HasMore  bool           `json:"has_more,omitempty"`
}

type historyReply struct {
	messagesReply
	PinCount            int    `json:"pin_count,omitempty"`
	ChannelActionsCount int    `json:"channel_actions_count,omitempty"`
	Oldest              string `json:"oldest,omitempty"`
	Latest              string `json:"latest,omitempty"`
}

type membersReply struct {
	okReply
	Members []string `json:"members,omitempty"`
}

type usersReply struct {
	okReply
	Members []messaging.UserObject `json:"members,omitempty"`
	CacheTS int64                  `json:"cache_ts,omitempty"`
}

type userReply struct {
	okReply
	User  *messaging.UserObject  `json:"user,omitempty"`
	Users []messaging.UserObject `json:"users,omitempty" description:"When the argument users was given."`
}

type profileReply struct {
	okReply
	Username string             `json:"username,omitempty"`
	Profile  *messaging.Profile `json:"profile,omitempty"`
}

type searchReply struct {
	okReply
	Query    string       `json:"query,omitempty"`
	Messages *searchPages `json:"messages,omitempty"`
}

// replyTypes are the replies of the methods.
var replyTypes = map[string]any{
	"auth.test":        authReply{},
	"chat.postMessage": postReply{}, "chat.update": updateReply{}, "chat.delete": deleteReply{},
	"conversations.list": channelsReply{}, "conversations.create": channelReply{}, "conversations.info": channelReply{},
	"conversations.history": historyReply{}, "conversations.replies": messagesReply{}, "conversations.members": membersReply{},
	"conversations.join": channelReply{}, "conversations.leave": leaveReply{}, "conversations.archive": okReply{},
	"conversations.invite": channelReply{}, "conversations.kick": okReply{}, "conversations.rename": channelReply{},
	"conversations.setTopic": labelReply{}, "conversations.setPurpose": labelReply{}, "conversations.open": openReply{},
	"reactions.add": okReply{}, "reactions.remove": okReply{},
	"users.list": usersReply{}, "users.info": userReply{}, "users.profile.get": profileReply{}, "users.profile.set": profileReply{},
	"users.setPresence": okReply{}, "search.messages": searchReply{},
}
