package graph

import (
	"bytes"
	"io"
	"net/http"

	"understudy/internal/platform/httpkit"
)

// IsReading reports whether a request is a query: it has a document without a
// mutation. It reads the body and restores it. It returns false for a body of
// more than httpkit.SmallBody bytes.
func (h *Handler) IsReading(r *http.Request) bool {
	if r.Method != http.MethodPost || r.Body == nil || r.ContentLength <= 0 || r.ContentLength > httpkit.SmallBody {
		return false
	}
	body := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, body)
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:n]), r.Body))
	if err != nil {
		return false
	}
	request, known := h.bodies.get(body)
	if !known {
		if request, err = readRequest(r.Context(), body); err != nil {
			return false
		}
	}
	prepared, rejection := shared().Prepare(request)
	return rejection == nil && !prepared.Mutates()
}
