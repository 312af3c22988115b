package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/valyala/fastjson"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/obs"
)

// The errors of the wire.
var (
	unauthorized = fault.New(fault.Unauthenticated, "unauthorized", "Give a valid ingestion key as x-api-key.")
	wrongScope   = fault.New(fault.Forbidden, "insufficient_scope", "This key does not have the scope that the request needs.")
	adminOnly    = fault.New(fault.Forbidden, "forbidden", "This needs the admin key.")
	badJSON      = fault.New(fault.Invalid, "invalid_json", "The body is not valid JSON.")
	tooDeep      = badJSON.Detailf("The body has arrays and objects that are nested more than %d levels deep.", fastjson.MaxDepth)
	badRequest   = fault.New(fault.Invalid, "invalid_request", "The request is malformed.")
	tooMany      = fault.New(fault.Invalid, "too_many_events", "A batch has at most 500 events.")
	bodyTooLarge = fault.New(fault.TooLarge, "body_too_large", "The body is too large.")
	rowTooLarge  = fault.New(fault.TooLarge, "event_too_large", "The event is too large.")
	badEncoding  = fault.New(fault.Invalid, "unsupported_media_type", "The body must be JSON; Content-Encoding is identity, gzip, deflate or zstd.")
	busy         = fault.New(fault.Unavailable, "temporarily_unavailable", "The service cannot accept this now; try again.").After(time.Second)
)

// statuses are the statuses of errors that differ from those of their kinds.
var statuses = map[fault.Reason]int{
	httpkit.WrongMethod.Reason: http.StatusMethodNotAllowed,
	badEncoding.Reason:         http.StatusUnsupportedMediaType,
}

type errorBody struct {
	Error     string `json:"error"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	Field     string `json:"field,omitempty"`
	Limit     int64  `json:"limit_bytes,omitempty"`
}

// WriteError replies with err in the form of this service's errors. It logs errors
// that are not faults and replies with an internal error. It replies to every
// unavailability with busy, unless a fault rule orders another text.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	id := obs.RequestID(r.Context())
	f, ok := fault.As(err)
	if !ok {
		if !errors.Is(err, context.Canceled) { // a client that has gone is no failure
			h.d.Log.Error("an ingestion request failed", "request_id", id, "error", err)
		}
		f = fault.New(fault.Internal, "internal_error", "Something went wrong here.")
	}
	if f.Kind == fault.Unavailable && !httpkit.IsInjected(err) {
		h.d.Log.Warn("an ingestion request was refused for now", "request_id", id, "error", err)
		f = busy
	}
	status, ok := statuses[f.Reason]
	if !ok {
		status = httpkit.Status(f.Kind)
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "ApiKey")
	}
	httpkit.SetRetryAfter(w, f)
	limit, _ := f.Attrs.(limitBytes)
	b, _ := json.Marshal(errorBody{Error: f.Detail, Code: string(f.Reason), RequestID: id, Field: f.Field, Limit: int64(limit)})
	reply(w, status, b)
}

// limitBytes is the limit that a request exceeded, in bytes.
type limitBytes int64

func reply(w http.ResponseWriter, status int, body []byte) {
	w.Header()["Content-Type"] = contentType
	httpkit.WriteRaw(w, status, body)
}

var contentType = []string{"application/json"}
