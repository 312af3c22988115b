package otlp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/obs"
)

// The errors of this API. They differ from those of package rest: exporters read a
// google.rpc.Status, and retry only after the status of an overload.
var (
	unauthorized = fault.New(fault.Unauthenticated, "unauthorized", "Give a valid ingestion key as x-api-key, as a bearer token or as the password of Basic.")
	wrongScope   = fault.New(fault.Forbidden, "insufficient_scope", "This key does not have the scope to write.")
	badBody      = fault.New(fault.Invalid, "invalid_request", "The body is not a traces request.")
	badType      = fault.New(fault.Invalid, "unsupported_media_type", "Content-Type must be application/x-protobuf or application/json.")
	noMethod     = fault.New(fault.Invalid, "method_not_allowed", "Traces are sent with POST.")
	busy         = fault.New(fault.Unavailable, "temporarily_unavailable", "The service cannot accept this now; try again.").After(time.Second)
)

// statuses are the statuses of errors that differ from those of their kinds.
var statuses = map[fault.Reason]int{
	badType.Reason:             http.StatusUnsupportedMediaType,
	httpkit.BadEncoding.Reason: http.StatusUnsupportedMediaType,
	noMethod.Reason:            http.StatusMethodNotAllowed,
}

// codes are the numbers of google.rpc.Code.
var codes = map[fault.Kind]uint64{
	fault.Invalid: 3, fault.Unprocessable: 3, fault.NotFound: 5, fault.Forbidden: 7, fault.TooLarge: 8, fault.RateLimited: 8,
	fault.Unavailable: 14, fault.Unauthenticated: 16,
}

// form is the encoding of a request and its reply.
type form int

const (
	asProtobuf form = iota
	asJSON
)

var mediaTypes = [...]string{asProtobuf: "application/x-protobuf", asJSON: "application/json"}

func (f form) reply(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", mediaTypes[f])
	httpkit.WriteRaw(w, status, body)
}

// accepted replies that all spans are stored except the rejected ones. message
// contains the reasons.
func (f form) accepted(w http.ResponseWriter, rejected int, message string) {
	if f == asJSON {
		body := []byte(`{}`)
		if rejected > 0 {
			text, _ := json.Marshal(message)
			body = []byte(`{"partialSuccess":{"rejectedSpans":"` + strconv.Itoa(rejected) + `","errorMessage":` + string(text) + `}}`)
		}
		f.reply(w, http.StatusOK, body)
		return
	}
	var body []byte
	if rejected > 0 {
		part := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rejected))
		part = protowire.AppendString(protowire.AppendTag(part, 2, protowire.BytesType), message)
		body = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), part)
	}
	f.reply(w, http.StatusOK, body)
}

// WriteError replies with err as a google.rpc.Status, in the encoding of the
// request. An unexpected error is reported as an overload, so that clients retry:
// after any other status they drop the spans.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f, ok := fault.As(err)
	switch {
	case httpkit.IsInjected(err):
		if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
			f = busy
		}
	case !ok || f.Kind == fault.Internal:
		h.d.Log.Error("traces could not be stored", "request_id", obs.RequestID(r.Context()), "error", err)
		f = busy
	case f.Kind == fault.Unavailable:
		h.d.Log.Warn("an export of traces was refused for now", "request_id", obs.RequestID(r.Context()), "error", err)
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
	form, _ := formOf(r)
	code := codes[f.Kind]
	if form == asJSON {
		body, _ := json.Marshal(struct {
			Code    uint64 `json:"code"`
			Message string `json:"message"`
		}{code, f.Detail})
		form.reply(w, status, body)
		return
	}
	body := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), code)
	form.reply(w, status, protowire.AppendString(protowire.AppendTag(body, 2, protowire.BytesType), f.Detail))
}

// sentence returns the text of an error of the decoder with ordinary spaces. The
// decoder randomly uses others, so that programs do not rely on its texts.
func sentence(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}
