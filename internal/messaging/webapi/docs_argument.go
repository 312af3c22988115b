package webapi

// argumentDocs describes the arguments, by name, or by method and name if the
// name has several meanings.
var argumentDocs = map[string]string{
	"channel":                  "Id of a conversation.",
	"chat.postMessage channel": "Id of a conversation, name of a channel, or id of a user, whose direct message is opened.",
	"text":                     "In mrkdwn; up to 40,000 characters are kept.",
	"chat.update text":         "In mrkdwn, at most 4,000 characters. Without blocks it replaces the blocks as well.",
	"markdown_text":            "In Markdown, at most 12,000 characters, in the place of text and blocks.",
	"blocks":                   "At most 50 blocks of Block Kit; an array, or its JSON as text.",
	"attachments":              "At most 100; an array, or its JSON as text. An empty array removes them.",
	"metadata":                 "event_type and event_payload. In an update {} removes it.",
	"thread_ts":                "The ts of the parent: posts a reply.",
	"reply_broadcast":          "Shows a reply in the channel as well.",
	"mrkdwn":                   "false: the text has no markup.",
	"parse":                    "full finds @names, #names and addresses; none finds nothing.",
	"link_names":               "Finds @names and #names.",
	"unfurl_links":             "Accepted and ignored.",
	"unfurl_media":             "Accepted and ignored.",
	"username":                 "Posts under this name; needs chat:write.customize.",
	"icon_emoji":               "Posts with this emoji as icon; needs chat:write.customize.",
	"icon_url":                 "Posts with this image as icon; needs chat:write.customize.",
	"client_msg_id":            "The same id posts once.",
	"ts":                       "The ts of the message.",
	"conversations.replies ts": "The ts of the parent, or of any message of the thread.",
	"types":                    "Comma list of public_channel, private_channel, mpim and im; public_channel when left out.",
	"exclude_archived":         "Leaves archived channels out.",
	"limit":                    "How many at most on a page.",
	"cursor":                   "next_cursor of the page before.",
	"name":                     "1 to 80 small letters, digits, - and _.",
	"reactions.add name":       "Name of an emoji, with or without colons.",
	"reactions.remove name":    "Name of an emoji, with or without colons.",
	"users.profile.set name":   "One member of the profile, with value.",
	"is_private":               "Makes a private channel.",
	"include_num_members":      "Adds num_members.",
	"include_locale":           "Adds locale.",
	"oldest":                   "Only messages after this time, in seconds.",
	"latest":                   "Only messages before this time, in seconds.",
	"inclusive":                "Counts messages at oldest and latest themselves.",
	"include_all_metadata":     "Adds metadata to messages.",
	"users":                    "Comma list of user ids.",
	"user":                     "Id of a user; the caller when left out.",
	"conversations.kick user":  "Id of the user to remove.",
	"force":                    "Adds those who can be added though others cannot.",
	"topic":                    "At most 250 characters; empty clears it.",
	"purpose":                  "At most 250 characters; empty clears it.",
	"return_im":                "Answers with the whole conversation.",
	"prevent_creation":         "Only finds a conversation, never makes one.",
	"timestamp":                "The ts of the message.",
	"file":                     "There are no files: file_not_found.",
	"file_comment":             "There are no files: file_not_found.",
	"include_labels":           "Adds the labels of custom fields.",
	"profile":                  "The members to change; others stay.",
	"value":                    "The value of name.",
	"presence":                 "auto or away.",
	"query":                    "Words, \"phrases\", beginnings*, -exclusions, and the modifiers in, from, to, with, has, hasmy, is, before, after, on and during, each also with a minus.",
	"sort":                     "score or timestamp.",
	"sort_dir":                 "desc or asc.",
	"highlight":                "Marks what was found with U+E000 and U+E001.",
	"count":                    "Matches on a page, at most 100.",
	"page":                     "Number of the page, from 1.",
}

// argumentDoc returns the description of a method's argument.
func argumentDoc(method, name string) string {
	if text, ok := argumentDocs[method+" "+name]; ok {
		return text
	}
	return argumentDocs[name]
}
