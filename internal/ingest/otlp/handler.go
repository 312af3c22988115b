// Package otlp receives OpenTelemetry traces over HTTP, in protobuf and JSON, for
// ingestion. It implements the conventions by which instrumentations of agents
// name operations, and converts each span to one event. The rules for the spans
// of a trace together are in the service.
package otlp

import (
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// bodyTime is the time within which a body must arrive.
const bodyTime = time.Minute

// Deps are the dependencies of the handler.
type Deps struct {
	Ingest *ingest.Ingest
	Auth   *auth.Auth
	Log    *slog.Logger
}

// Handler accepts traces at every address at which it is mounted.
type Handler struct {
	d Deps
}

// NewHandler returns a handler with the dependencies d.
func NewHandler(d Deps) *Handler { return &Handler{d: d} }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.export(w, r); err != nil {
		h.WriteError(w, r, err)
	}
}

// export stores the spans of a request. It counts invalid spans in the reply, and
// stores the others.
func (h *Handler) export(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return noMethod
	}
	project, err := h.project(w, r)
	if err != nil {
		return err
	}
	form, ok := formOf(r)
	if !ok {
		return badType
	}
	_ = http.NewResponseController(w).SetReadDeadline(clock.Real().Add(bodyTime))
	b, err := httpkit.ReadEncoded(r, maxBody)
	if err != nil {
		return err
	}
	data, err := decode(r.Context(), form, b)
	if err != nil {
		return err
	}
	hide(w, data)
	var bad rejected
	spans, err := h.spans(r.Context(), project, data, form, &bad)
	if err != nil {
		return err
	}
	if err := h.d.Ingest.CaptureSpans(r.Context(), project, spans); err != nil {
		return err
	}
	form.accepted(w, bad.count, bad.message(bad.count+len(spans)))
	return nil
}

// formOf returns the encoding of a request. For an unknown one it returns JSON,
// which people can read, and false.
func formOf(r *http.Request) (f form, ok bool) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && (media == "application/x-protobuf" || media == "application/protobuf") {
		return asProtobuf, true
	}
	return asJSON, err == nil && media == "application/json"
}

// project returns the project of the key in a request. It returns unauthorized, and
// wrongScope for a key that may not write.
func (h *Handler) project(w http.ResponseWriter, r *http.Request) (string, error) {
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = httpkit.Bearer(r)
	}
	if _, password, ok := r.BasicAuth(); ok && key == "" {
		key = password
	}
	p, err := h.d.Auth.Resolve(r.Context(), ingest.Name, strings.TrimSpace(key))
	if err != nil {
		if fault.KindOf(err) == fault.Unauthenticated {
			err = unauthorized
		}
		return "", err
	}
	if err := httpkit.Begin(w, r, "key "+p.TokenID, p); err != nil {
		return "", err
	}
	if len(p.Scopes) > 0 && !p.Has(ingest.KeyWrite) {
		return "", wrongScope
	}
	return p.Tenant, nil
}

// rejected counts the rejected spans, and contains the reasons for the first
// shownReasons of them.
type rejected struct {
	count   int
	reasons []string
}

const shownReasons = 5

func (r *rejected) add(span string, err error) {
	r.count++
	if len(r.reasons) < shownReasons {
		reason := err.Error()
		if f, ok := fault.As(err); ok {
			reason = f.Detail
		}
		r.reasons = append(r.reasons, "span "+span+": "+reason)
	}
}

func (r *rejected) message(of int) string {
	if r.count == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d spans were rejected. %s", r.count, of, strings.Join(r.reasons, "; "))
	if r.count > len(r.reasons) {
		text += "; …"
	}
	return text
}
