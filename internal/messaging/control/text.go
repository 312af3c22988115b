package control

import (
	"net/http"
	"strconv"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// textErrors maps errors of incoming webhooks and response_urls to a status and a
// plain-text code. Reasons that are not in it are their own code, with the status
// of their kind if that is 403 or 404, else 400.
var textErrors = map[fault.Reason]struct {
	status int
	code   string
}{
	messaging.WebhookNotFound.Reason:   {http.StatusNotFound, "no_service"},
	messaging.WorkspaceNotFound.Reason: {http.StatusNotFound, "no_team"},
	messaging.AppNotFound.Reason:       {http.StatusNotFound, "no_service"},
	messaging.ChannelNotFound.Reason:   {http.StatusNotFound, "channel_not_found"},
	messaging.UserNotFound.Reason:      {http.StatusBadRequest, "user_not_found"},
	messaging.IsArchived.Reason:        {http.StatusGone, "channel_is_archived"},
	messaging.InactiveChannel.Reason:   {http.StatusGone, "channel_is_archived"},
	messaging.NotInChannel.Reason:      {http.StatusForbidden, "action_prohibited"},
	messaging.CannotUpdate.Reason:      {http.StatusForbidden, "action_prohibited"},
	messaging.CannotDelete.Reason:      {http.StatusForbidden, "action_prohibited"},
	messaging.ResponseSpent.Reason:     {http.StatusNotFound, "used_url"},
	messaging.ResponseExpired.Reason:   {http.StatusNotFound, "expired_url"},
	messaging.ThreadNotFound.Reason:    {http.StatusBadRequest, "invalid_thread_ts"},
	messaging.MessageNotFound.Reason:   {http.StatusNotFound, "message_not_found"},
}

// writeText replies with err as plain text, and returns an err that is not a
// fault.
func (h *Handler) writeText(w http.ResponseWriter, r *http.Request, err error) error {
	e, ok := fault.As(err)
	if !ok || e.Kind == fault.Internal {
		if !httpkit.IsInjected(err) {
			h.Log.Error("a request to the messaging control plane failed", "path", r.Pattern, "error", err)
		}
		writeText(w, http.StatusInternalServerError, "rollup_error")
		return nil
	}
	httpkit.SetRetryAfter(w, e)
	if t, ok := textErrors[e.Reason]; ok {
		writeText(w, t.status, t.code)
		return nil
	}
	status := httpkit.Status(e.Kind)
	if e.Kind == fault.Conflict || e.Kind == fault.Unprocessable {
		status = http.StatusBadRequest
	}
	writeText(w, status, string(e.Reason))
	return nil
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
