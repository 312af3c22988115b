package webapi

import "understudy/internal/messaging"

// The successful replies of the methods for the docs: members that are always
// present have no omitempty. Error replies have the schema of refusalSchema.

type okReply struct {
	OK       bool           `json:"ok" const:"true"`
	Warning  string         `json:"warning,omitempty" description:"Codes, separated by commas, of what was noticed."`
	Metadata *replyMetadata `json:"response_metadata,omitempty"`
}

type replyMetadata struct {
	NextCursor string   `json:"next_cursor,omitempty" description:"Where the next page begins; empty on the last one."`
	Warnings   []string `json:"warnings,omitempty"`
}

// pageReply is a reply with a cursor.
type pageReply struct {
	OK       bool         `json:"ok" const:"true"`
	Warning  string       `json:"warning,omitempty" description:"Codes, separated by commas, of what was noticed."`
	Metadata pageMetadata `json:"response_metadata"`
}

type pageMetadata struct {
	NextCursor string   `json:"next_cursor" description:"Where the next page begins; empty on the last one."`
	Warnings   []string `json:"warnings,omitempty"`
}

// messageReply is a message. Which members are present depends on its origin.
type messageReply struct {
	Type            string           `json:"type"`
	Subtype         string           `json:"subtype,omitempty" description:"Such as bot_message, thread_broadcast, channel_join or tombstone."`
	User            string           `json:"user,omitempty"`
	Text            string           `json:"text"`
	TS              string           `json:"ts" description:"Seconds, a dot and six digits; the message's id in its conversation."`
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
	LastRead        string           `json:"last_read,omitempty" description:"Of the parent in conversations.replies, for who is subscribed."`
	UnreadCount     int64            `json:"unread_count,omitempty" description:"Beside last_read: replies of others after it, 1000 at most."`
	Reactions       []reactionReply  `json:"reactions,omitempty"`
	Metadata        map[string]any   `json:"metadata,omitempty"`
	Root            map[string]any   `json:"root,omitempty" description:"Of a broadcast reply: its parent."`
	Hidden          bool             `json:"hidden,omitempty"`
	Inviter         string           `json:"inviter,omitempty" description:"Of channel_join: who added the user."`
	Topic           *string          `json:"topic,omitempty" description:"Of channel_topic."`
	Purpose         *string          `json:"purpose,omitempty" description:"Of channel_purpose."`
	Name            string           `json:"name,omitempty" description:"Of channel_name."`
	OldName         string           `json:"old_name,omitempty" description:"Of channel_name."`
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
	URL                 string `json:"url"`
	Team                string `json:"team"`
	User                string `json:"user" description:"The handle."`
	TeamID              string `json:"team_id"`
	UserID              string `json:"user_id"`
	BotID               string `json:"bot_id,omitempty" description:"Of a bot token."`
	IsEnterpriseInstall bool   `json:"is_enterprise_install"`
}

type postReply struct {
	okReply
	Channel     string       `json:"channel"`
	TS          string       `json:"ts"`
	Message     messageReply `json:"message"`
	IsDuplicate bool         `json:"is_duplicate,omitempty" description:"The client_msg_id was posted before; this is that message."`
}

type updateReply struct {
	okReply
	Channel string       `json:"channel"`
	TS      string       `json:"ts"`
	Text    string       `json:"text"`
	Message messageReply `json:"message"`
}

type deleteReply struct {
	okReply
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

type leaveReply struct {
	okReply
	NotInChannel bool `json:"not_in_channel,omitempty" description:"The caller was no member."`
}

type kickReply struct {
	okReply
	Errors struct{} `json:"errors" description:"Always empty."`
}

type historyReply struct {
	okReply
	Messages            []messageReply `json:"messages"`
	HasMore             bool           `json:"has_more"`
	PinCount            int            `json:"pin_count"`
	ChannelActionsTS    *string        `json:"channel_actions_ts"`
	ChannelActionsCount int            `json:"channel_actions_count"`
	Oldest              string         `json:"oldest,omitempty" description:"As it was given."`
	Latest              string         `json:"latest,omitempty" description:"As it was given."`
}

type repliesReply struct {
	okReply
	Messages []messageReply `json:"messages"`
	HasMore  bool           `json:"has_more"`
}

type membersReply struct {
	pageReply
	Members []string `json:"members"`
}

type usersReply struct {
	pageReply
	Members []messaging.UserObject `json:"members"`
	CacheTS int64                  `json:"cache_ts"`
}

type userReply struct {
	okReply
	User  *messaging.UserObject  `json:"user,omitempty" description:"When the argument user was given."`
	Users []messaging.UserObject `json:"users,omitempty" description:"When the argument users was given."`
}

type profileReply struct {
	okReply
	Profile messaging.Profile `json:"profile"`
}

type changedProfileReply struct {
	okReply
	Username string            `json:"username"`
	Profile  messaging.Profile `json:"profile"`
}

type searchReply struct {
	okReply
	Query    string      `json:"query"`
	Messages searchPages `json:"messages"`
}

// The replies with conversations; those with direct ones have another shape.

type channelReply struct {
	okReply
	Channel messaging.ChannelObject `json:"channel"`
}

type directReply struct {
	okReply
	Channel imObject `json:"channel"`
}

type topicReply struct {
	okReply
	Channel messaging.ChannelObject `json:"channel"`
	Topic   string                  `json:"topic"`
}

type purposeReply struct {
	okReply
	Channel messaging.ChannelObject `json:"channel"`
	Purpose string                  `json:"purpose"`
}

type invitedReply struct {
	okReply
	Channel messaging.ChannelObject `json:"channel"`
	Errors  messaging.UserFaults    `json:"errors,omitempty" description:"With force: the users who could not be added."`
}

type openedReply struct {
	NoOp        bool `json:"no_op,omitempty" description:"It stood open before."`
	AlreadyOpen bool `json:"already_open,omitempty" description:"It stood open before."`
}

type openedIDReply struct {
	okReply
	openedReply
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
}

type openedDirectReply struct {
	directReply
	openedReply
}

type openedGroupReply struct {
	channelReply
	openedReply
}

// channelsReply is a page of conversations of both shapes.
type channelsReply struct {
	pageReply
	Channels []conversationReply `json:"channels"`
}

type conversationReply struct{}

// JSONSchemaOneOf returns the shapes of a conversation for the docs.
func (conversationReply) JSONSchemaOneOf() []any {
	return []any{messaging.ChannelObject{}, imObject{}}
}

// replyShapes are the shapes of the successful replies of each method; some
// methods have several.
var replyShapes = map[string][]any{
	"auth.test":        {authReply{}},
	"chat.postMessage": {postReply{}}, "chat.update": {updateReply{}}, "chat.delete": {deleteReply{}},
	"conversations.list": {channelsReply{}}, "conversations.create": {channelReply{}}, "conversations.info": {channelReply{}, directReply{}},
	"conversations.history": {historyReply{}}, "conversations.replies": {repliesReply{}}, "conversations.members": {membersReply{}},
	"conversations.join": {channelReply{}}, "conversations.leave": {leaveReply{}}, "conversations.archive": {okReply{}},
	"conversations.invite": {invitedReply{}}, "conversations.kick": {kickReply{}}, "conversations.rename": {channelReply{}},
	"conversations.setTopic": {topicReply{}}, "conversations.setPurpose": {purposeReply{}},
	"conversations.open": {openedIDReply{}, openedDirectReply{}, openedGroupReply{}},
	"reactions.add":      {okReply{}}, "reactions.remove": {okReply{}},
	"users.list": {usersReply{}}, "users.info": {userReply{}}, "users.profile.get": {profileReply{}}, "users.profile.set": {changedProfileReply{}},
	"users.setPresence": {okReply{}}, "search.messages": {searchReply{}},
}
