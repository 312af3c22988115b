package webapi

import (
	"slices"
	"strings"

	"understudy/internal/platform/apidocs"
)

// anyMethod lists the error codes that every method may return.
const anyMethod = `not_authed invalid_auth token_revoked token_expired account_inactive missing_scope ratelimited
	invalid_post_type missing_post_type invalid_charset invalid_form_data invalid_json json_not_object invalid_arg_name invalid_array_arg
	invalid_arguments request_too_large request_timeout service_unavailable internal_error`

// ofContent lists the error codes for the content of a message.
const ofContent = ` no_text msg_too_long markdown_text_conflict invalid_blocks_format invalid_blocks msg_blocks_too_long
	too_many_attachments invalid_attachments attachment_payload_limit_exceeded invalid_metadata_format`

const ofName = ` invalid_name_required invalid_name_maxlength invalid_name_specials invalid_name_punctuation name_taken`

// refusals lists the additional error codes of each method.
var refusals = map[string]string{
	"auth.test": "",

	"chat.postMessage": "channel_not_found thread_not_found is_archived not_in_channel cannot_dm_bot user_disabled" + ofContent,
	"chat.update": "channel_not_found message_not_found cant_update_message is_inactive cant_broadcast_message no_dual_broadcast_content_update" +
		ofContent,
	"chat.delete": "channel_not_found message_not_found cant_delete_message",

	"conversations.list":       "invalid_types invalid_limit invalid_cursor",
	"conversations.create":     ofName,
	"conversations.info":       "channel_not_found",
	"conversations.history":    "channel_not_found not_in_channel invalid_ts_latest invalid_ts_oldest invalid_cursor",
	"conversations.replies":    "channel_not_found not_in_channel thread_not_found invalid_ts_latest invalid_ts_oldest invalid_cursor",
	"conversations.members":    "channel_not_found invalid_limit invalid_cursor",
	"conversations.join":       "channel_not_found method_not_supported_for_channel_type is_archived",
	"conversations.leave":      "channel_not_found method_not_supported_for_channel_type is_archived cant_leave_general last_member",
	"conversations.archive":    "channel_not_found method_not_supported_for_channel_type not_in_channel already_archived cant_archive_general",
	"conversations.invite":     "no_user too_many_users channel_not_found method_not_supported_for_channel_type is_archived not_in_channel user_not_found cant_invite_self already_in_channel",
	"conversations.kick":       "channel_not_found method_not_supported_for_channel_type is_archived not_in_channel user_not_found cant_kick_self cant_kick_from_general",
	"conversations.rename":     "channel_not_found method_not_supported_for_channel_type is_archived not_in_channel not_authorized" + ofName,
	"conversations.setTopic":   "channel_not_found method_not_supported_for_channel_type is_archived not_in_channel too_long",
	"conversations.setPurpose": "channel_not_found method_not_supported_for_channel_type is_archived not_in_channel too_long",
	"conversations.open":       "users_list_not_supplied user_not_found user_disabled too_many_users channel_not_found method_not_supported_for_channel_type",

	"reactions.add":    "no_item_specified file_not_found bad_timestamp invalid_name channel_not_found message_not_found is_archived not_in_channel already_reacted too_many_reactions too_many_emoji",
	"reactions.remove": "no_item_specified file_not_found bad_timestamp invalid_name channel_not_found message_not_found is_archived not_in_channel no_reaction",

	"users.list":        "invalid_cursor",
	"users.info":        "user_not_found too_many_users",
	"users.profile.get": "user_not_found",
	"users.profile.set": "not_allowed_token_type invalid_profile user_not_found not_admin reserved_name too_long " +
		"profile_status_set_failed_not_emoji_syntax profile_status_set_failed_not_valid_emoji",
	"users.setPresence": "invalid_presence",

	"search.messages": "not_allowed_token_type no_query invalid_cursor",
}

// refusalSchema returns the schema of a method's error replies.
func refusalSchema(method string) apidocs.Schema {
	text := func(description string) apidocs.Schema {
		return apidocs.Schema{"type": "string", "description": description}
	}
	list := func(items apidocs.Schema) apidocs.Schema { return apidocs.Schema{"type": "array", "items": items} }
	properties := apidocs.Schema{
		"ok":       apidocs.Schema{"type": "boolean", "const": false},
		"error":    apidocs.Schema{"type": "string", "enum": append(strings.Fields(refusals[method]), strings.Fields(anyMethod)...)},
		"needed":   text("With missing_scope: the scopes of which any would do."),
		"provided": text("With missing_scope: the scopes of the token."),
		"response_metadata": apidocs.Schema{"type": "object", "description": "What is wrong, in words.",
			"properties": apidocs.Schema{"messages": list(apidocs.Schema{"type": "string"})}},
	}
	if codes := strings.Fields(refusals[method]); slices.Contains(codes, "invalid_blocks") {
		properties["errors"] = list(text("What is wrong in a block, with its JSON pointer."))
	}
	if method == "conversations.invite" {
		properties["errors"] = list(schemaOfUserFault)
	}
	return apidocs.Schema{"type": "object", "required": []string{"ok", "error"}, "properties": properties}
}

var schemaOfUserFault = apidocs.Schema{"type": "object", "required": []string{"user", "ok", "error"},
	"description": "A user who could not be added.",
	"properties": apidocs.Schema{"user": apidocs.Schema{"type": "string"}, "ok": apidocs.Schema{"type": "boolean"},
		"error": apidocs.Schema{"type": "string"}}}
