package webapi

import (
	"net/http"
	"strings"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/messaging/blockkit"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// The errors of the dialect itself.
var (
	unknownMethod       = fault.New(fault.NotFound, "unknown_method", "")
	missingScope        = fault.New(fault.Forbidden, "missing_scope", "")
	notAllowedTokenType = fault.New(fault.Forbidden, "not_allowed_token_type", "")
	rateLimited         = fault.New(fault.RateLimited, "ratelimited", "")
	noItem              = fault.New(fault.Invalid, "no_item_specified", "")
	fileNotFound        = fault.New(fault.NotFound, "file_not_found", "")
	badTimestamp        = fault.New(fault.Invalid, "bad_timestamp", "")
	invalidTypes        = fault.New(fault.Invalid, "invalid_types", "")
	invalidLimit        = fault.New(fault.Invalid, "invalid_limit", "")
	invalidTSLatest     = fault.New(fault.Invalid, "invalid_ts_latest", "")
	invalidTSOldest     = fault.New(fault.Invalid, "invalid_ts_oldest", "")
)

// codes are all error codes of the data plane: the reasons of the rules, the
// argument reader, auth and this package.
var codes = codeSet(`
	unknown_method missing_scope not_allowed_token_type ratelimited no_item_specified file_not_found bad_timestamp
	invalid_types invalid_limit invalid_ts_latest invalid_ts_oldest

	not_authed invalid_auth token_revoked token_expired account_inactive
	request_too_large request_timeout invalid_post_type missing_post_type invalid_charset invalid_form_data invalid_json
	json_not_object invalid_arg_name invalid_array_arg invalid_arguments

	channel_not_found message_not_found thread_not_found user_not_found method_not_supported_for_channel_type is_archived
	already_archived not_in_channel already_in_channel cant_invite_self cant_kick_self cant_kick_from_general cant_leave_general
	cant_archive_general last_member not_authorized not_admin invalid_name_required invalid_name_maxlength invalid_name_specials
	invalid_name_punctuation name_taken too_long no_text msg_too_long markdown_text_conflict cant_update_message
	cant_delete_message is_inactive cant_broadcast_message no_dual_broadcast_content_update cannot_dm_bot user_disabled users_list_not_supplied
	too_many_users no_user already_reacted no_reaction invalid_name too_many_reactions too_many_emoji invalid_profile reserved_name
	profile_status_set_failed_not_emoji_syntax profile_status_set_failed_not_valid_emoji
	invalid_presence no_query invalid_cursor

	invalid_blocks_format invalid_blocks msg_blocks_too_long too_many_attachments invalid_attachments
	attachment_payload_limit_exceeded invalid_metadata_format`)

// renamed maps reasons to codes that differ from them.
var renamed = map[fault.Reason]string{
	"store_unavailable":   "service_unavailable",
	"overloaded":          "service_unavailable",
	"workspace_not_found": "team_not_found",
	"reply_too_large":     "invalid_limit",
	"invalid_url":         "invalid_arguments",
}

func codeSet(list string) map[fault.Reason]bool {
	out := map[fault.Reason]bool{}
	for _, code := range strings.Fields(list) {
		out[fault.Reason(code)] = true
	}
	return out
}

// code returns the code of an error, or "internal_error" for an error without a
// wire form.
func code(err error) (string, *fault.Error) {
	e, ok := fault.As(err)
	switch {
	case !ok:
		return "internal_error", nil
	case renamed[e.Reason] != "":
		return renamed[e.Reason], e
	case codes[e.Reason]:
		return string(e.Reason), e
	}
	return "internal_error", e
}

// fail replies with an error. The status is 200 except for 429, 413 and 503:
// clients treat any other as a server fault and retry for half an hour.
func (c *call) fail(err error) {
	c.WriteError(c.w, c.r, err)
}

// WriteError replies to a request with err in the dialect's form.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	name, e := code(err)
	if (name == "internal_error" || name == "service_unavailable") && !httpkit.IsInjected(err) {
		h.log.Error("a messaging request failed", "method", Method(r.URL.Path), "error", err)
	}
	out := refusal(name)
	status := http.StatusOK
	if e != nil {
		switch e.Kind {
		case fault.RateLimited:
			status = http.StatusTooManyRequests
			httpkit.SetRetryAfter(w, e.After(max(e.RetryAfter, time.Second)))
		case fault.Unavailable:
			status = http.StatusServiceUnavailable
			httpkit.SetRetryAfter(w, e.After(max(e.RetryAfter, time.Second)))
		case fault.TooLarge:
			status = http.StatusRequestEntityTooLarge
		case fault.Invalid:
			if e.Reason == httpkit.BadURL.Reason {
				status = http.StatusBadRequest
			}
		}
		if e.RetryAfter > 0 && httpkit.IsInjected(err) {
			httpkit.SetRetryAfter(w, e)
		}
		if name == "unknown_method" && e.Detail != "" {
			out.text("req_method", e.Detail)
		}
		out.attrs(e)
	}
	httpkit.WriteRaw(w, status, out.finish(nil))
}

// errorMark begins the messages of response_metadata that clients log as errors.
const errorMark = "[ERROR] "

// attrs adds the attributes of an error to its code.
func (r *reply) attrs(e *fault.Error) {
	switch a := e.Attrs.(type) {
	case scopeAttrs:
		r.text("needed", a.needed)
		r.text("provided", a.provided)
	case messaging.UserFaults:
		r.value("errors", a)
	case []string:
		if e.Reason == blockkit.InvalidBlocks || e.Reason == blockkit.InvalidAttachments {
			r.value("errors", a)
		}
		for _, m := range a {
			if !strings.HasPrefix(m, errorMark) {
				m = errorMark + m
			}
			r.messages = append(r.messages, m)
		}
	}
}
