package control

import (
	"net/http"
	"strconv"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// textError is how an incoming webhook or a response_url refuses: a status and
// a code as plain text. What stands not here has its reason as the code and
// the status of its kind, 403 or 404, or else 400.
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

// writeText answers with err as plain text; what is no refusal is handed back.
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
