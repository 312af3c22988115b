package mcptools

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/platform/mcpkit"
)

// refusal is the form of an error: the Web API's own reply and a hint.
type refusal struct {
	OK         bool   `json:"ok"`
	Error      string `json:"error"`
	Message    string `json:"message,omitempty"`
	Needed     string `json:"needed,omitempty"`
	Provided   string `json:"provided,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"`
	Hint       string `json:"hint"`
}

// hints maps a code to a suggestion for the model.
var hints = map[string]string{
	"channel_not_found": "No conversation of this id is visible to the token. Find channel ids with msg_list_channels; " +
		"open a direct message with msg_open_dm; a private channel shows only after a member has invited you.",
	"not_in_channel": "You are not a member of this channel. Ask a member to invite you, or use a channel that msg_list_channels shows with is_member true.",
	"is_archived":    "The channel is archived and takes nothing new. Choose another with msg_list_channels.",
	"message_not_found": "This channel has no message with this timestamp. Copy the ts of a message, as a text with all its digits, " +
		"from msg_get_channel_history or msg_get_thread_replies.",
	"thread_not_found": "This channel has no message with this thread_ts. Copy the ts of the thread's first message from msg_get_channel_history.",
	"user_not_found":   "No user has this id. Find user ids with msg_get_users.",
	"user_disabled":    "This user is deactivated. Choose another with msg_get_users.",
	"cannot_dm_bot":    "A bot takes no direct messages of other bots. Write to a person or to a channel.",
	"not_enough_users": "Name at least one user id other than your own.",
	"too_many_users":   "A group message has at most 8 other people. Use a channel for more.",
	"invalid_cursor":   "The cursor does not belong to this list. Call again without cursor to start from the beginning.",
	"invalid_limit":    "Give a limit within the range of the tool's schema.",
	"invalid_name":     "Give the emoji's name without colons, such as thumbsup or white_check_mark.",
	"bad_timestamp":    "Copy the ts of a message as a text, such as 1712345678.123456.",
	"already_reacted":  "You have put this reaction there already: nothing is left to do.",
	"too_many_emoji":   "This message has as many different reactions as it can. Use one that is there already.",
	"no_text":          "Give a text that is not blank.",
	"msg_too_long":     "The text is too long. Split it into several messages.",
	"no_query":         "Give a query: words, \"a phrase\", in:channel, from:name, before:2025-01-31, has:link.",
	"not_allowed_token_type": "This kind of token may not call the method: a bot token needs the scope search:read to search. " +
		"Read channels with msg_get_channel_history instead, or ask for a user token.",
	"too_many_reactions":                    "You have put as many reactions on this message as you can.",
	"method_not_supported_for_channel_type": "This does not work in a conversation of this type. Choose a channel with msg_list_channels.",
	"invalid_ts_oldest":                     "Give oldest as a timestamp in seconds, such as 1712345678 or 1712345678.123456.",
	"invalid_ts_latest":                     "Give latest as a timestamp in seconds, such as 1712345678 or 1712345678.123456.",
	"request_too_large":                     "The request is too large. Shorten the text.",
	"service_unavailable":                   "The service cannot answer at the moment. Try again in a few seconds.",
	"internal_error":                        "The service failed. Try again; if it fails again, try another way.",
	"cannot_reply_to_message":               "This message takes no replies. Post to the channel with msg_post_message.",
	"attachment_payload_limit_exceeded":     "The message is too large. Split it into several messages.",
	"restricted_action":                     "The workspace does not allow this here.",
	"invalid_arguments":                     "Check the arguments against the tool's schema and call again.",
}

// tokenGone lists the codes for an invalid token.
var tokenGone = map[string]string{
	"not_authed":       "no token was given",
	"invalid_auth":     "the token is unknown here",
	"token_revoked":    "the token was revoked",
	"token_expired":    "the token has expired",
	"account_inactive": "the token's user is deactivated",
}

// refusal returns the failure for an error of the Web API.
func (c *Client) refusal(e envelope, retryAfter int) *mcpkit.Failure {
	f := &mcpkit.Failure{}
	body := refusal{Error: e.Error, Needed: e.Needed, Provided: e.Provided, Message: strings.Join(e.Metadata.Messages, " ")}
	switch {
	case tokenGone[e.Error] != "":
		f.Status = http.StatusUnauthorized
		f.Message = fmt.Sprintf("the messaging service refused the token (%s): %s", e.Error, tokenGone[e.Error])
		body.Hint = "The tool server's token does not work: " + tokenGone[e.Error] + ". No tool will work until it is started with a valid bot or user token."
	case e.Error == "ratelimited":
		body.RetryAfter = max(1, retryAfter)
		f.Status, f.RetryAfter = http.StatusTooManyRequests, body.RetryAfter
		body.Hint = fmt.Sprintf("Too many calls in a short time. Wait %d seconds, then call again with the same arguments.", body.RetryAfter)
	case e.Error == "missing_scope":
		body.Hint = fmt.Sprintf("The token lacks the scope %s. Do without this call, or ask for a token that has the scope.", strings.ReplaceAll(e.Needed, ",", " or "))
	case hints[e.Error] != "":
		body.Hint = hints[e.Error]
	default:
		body.Hint = "The service refused the call with this code. Check the arguments; calling again with the same ones will not help."
	}
	if f.Message == "" {
		f.Message = e.Error + ": " + body.Hint
	}
	f.Body = body
	return f
}

// refuse returns a failure of the tool server itself.
func (c *Client) refuse(code, detail, hint string) *mcpkit.Failure {
	body := refusal{Error: code, Message: detail, Hint: hint}
	if code == "missing_scope" {
		body.Message, body.Needed, body.Provided = "", detail, strings.Join(c.who.scopes, ",")
	}
	return &mcpkit.Failure{Body: body, Message: code + ": " + hint}
}

func (c *Client) unreachable(err error) *mcpkit.Failure {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // the message already contains the address
	}
	message := fmt.Sprintf("the messaging service at %s cannot be reached: %v", c.base, err)
	return &mcpkit.Failure{Status: http.StatusServiceUnavailable, Message: message, Body: refusal{Error: "service_unavailable",
		Message: message, Hint: "The service cannot be reached at the moment. Try again in a few seconds; if it stays so, tell the user."}}
}
