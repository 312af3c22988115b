package rest

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/jsontext"
)

const (
	maxBody    = 20 << 20 // bytes, after decompression
	maxEvent   = 8 << 20
	maxSession = 1 << 20
	// maxValues bounds the values of a body: 200 for each event of the largest
	// batch. The parser uses up to valueBytes for each value when there are many.
	maxValues  = 100_000
	valueBytes = 480
	// bodyTime is the time within which a body must arrive.
	bodyTime = time.Minute
)

// body reads and decompresses a request's JSON body, which has at most limit bytes
// after decompression, and reserves memory for its decoded form. It returns
// badEncoding, bodyTooLarge, badRequest and badJSON.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if t := r.Header.Get("Content-Type"); t != "" {
		media, _, err := mime.ParseMediaType(t)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, badEncoding
		}
	}
	_ = http.NewResponseController(w).SetReadDeadline(clock.Real().Add(bodyTime))
	b, err := httpkit.ReadEncoded(r, limit)
	if err == nil {
		err = budget.JSONWithin(r.Context(), b, maxValues, valueBytes)
	}
	switch f, _ := fault.As(err); {
	case err == nil:
		return b, nil
	case errors.Is(err, httpkit.TooLarge) && f.Detail == httpkit.TooLarge.Detail:
		return nil, bodyTooLarge.Detailf("The body is more than %d bytes after decompression.", limit).With(limitBytes(limit))
	case errors.Is(err, httpkit.TooLarge) && jsontext.Nests(b, fastjson.MaxDepth):
		return nil, tooDeep
	case errors.Is(err, httpkit.TooLarge):
		return nil, bodyTooLarge.Detailf("%s", f.Detail)
	case errors.Is(err, httpkit.Aborted):
		return nil, badRequest.Detailf("The body ended early.")
	case errors.Is(err, httpkit.BadEncoding):
		return nil, badEncoding
	case errors.Is(err, httpkit.Corrupt):
		return nil, badRequest.Detailf("%s", f.Detail)
	}
	return nil, err
}
