package rest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
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
	// batch. The parser takes up to valueBytes for each of many.
	maxValues  = 100_000
	valueBytes = 480
	// bodyTime is how long a body may take to arrive.
	bodyTime = time.Minute
)

// body reads a request's JSON body of at most limit bytes, decompressed, and
// makes room for what is built from it. A compressed body is read to its end
// before it is decompressed: one that does not end holds what was sent.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if t := r.Header.Get("Content-Type"); t != "" {
		media, _, err := mime.ParseMediaType(t)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, badEncoding
		}
	}
	_ = http.NewResponseController(w).SetReadDeadline(clock.Real().Add(bodyTime))
	b, err := httpkit.ReadBody(r, limit)
	coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if err == nil && coding != "" && coding != "identity" {
		b, err = decompress(r.Context(), coding, b, limit)
	}
	if err == nil {
		err = budget.JSONWithin(r.Context(), b, maxValues, valueBytes)
	}
	switch f, _ := fault.As(err); {
	case err == nil:
		return b, nil
	case errors.Is(err, httpkit.TooLarge) && f.Detail == httpkit.TooLarge.Detail:
		return nil, bodyTooLarge.Detailf("The body is more than %d bytes after decompression.", limit).With(limitBytes(limit))
	case errors.Is(err, httpkit.TooLarge) && jsontext.Nests(b, fastjson.MaxDepth):
		return nil, badJSON
	case errors.Is(err, httpkit.TooLarge):
		return nil, bodyTooLarge.Detailf("%s", f.Detail)
	case errors.Is(err, httpkit.Aborted):
		return nil, badRequest.Detailf("The body ended early.")
	}
	return nil, err
}

// decompress returns the bytes behind a Content-Encoding.
func decompress(ctx context.Context, coding string, b []byte, limit int64) ([]byte, error) {
	from, err := decompressor(ctx, coding, b)
	if err != nil {
		return nil, err
	}
	out, err := httpkit.ReadAll(ctx, from, -1, guess(coding, b), limit)
	if err == nil {
		err = from.Close()
	}
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = httpkit.TooLarge
	}
	if err != nil && !errors.Is(err, httpkit.TooLarge) && !errors.Is(err, budget.Exhausted) {
		err = badRequest.Detailf("The body is not valid %s.", coding)
	}
	return out, err
}

// guess returns about how many bytes a body has once it is decompressed. The
// last four bytes of gzip say so; a body that claims more than bodies of JSON
// do is not believed.
func guess(coding string, b []byte) int64 {
	if !strings.HasSuffix(coding, "gzip") || len(b) < 18 {
		return 0
	}
	return min(int64(binary.LittleEndian.Uint32(b[len(b)-4:]))+1, 64*int64(len(b)))
}

// decompressor returns the reader of a Content-Encoding, or a refusal. It makes
// room for what the reader holds.
func decompressor(ctx context.Context, coding string, b []byte) (io.ReadCloser, error) {
	malformed := badRequest.Detailf("The body is not valid %s.", coding)
	r := bytes.NewReader(b)
	switch coding {
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, malformed
		}
		return z, nil
	case "deflate": // by the book zlib's format, of some clients the bare one
		if len(b) < 2 {
			return nil, malformed
		}
		if b[0]&0x0f == 8 && (uint16(b[0])<<8|uint16(b[1]))%31 == 0 {
			z, err := zlib.NewReader(r)
			if err != nil {
				return nil, malformed
			}
			return z, nil
		}
		return flate.NewReader(r), nil
	case "zstd":
		window := max(window(b), httpkit.SmallBody)
		if window > maxBody {
			return nil, httpkit.TooLarge
		}
		if window > httpkit.SmallBody {
			if err := budget.Body(ctx, int64(window)); err != nil {
				return nil, err
			}
		}
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(maxBody+1))
		if err != nil {
			return nil, malformed
		}
		return z.IOReadCloser(), nil
	}
	return nil, badEncoding
}

// window returns how many bytes the decoder of a body of zstd holds, as its
// first frame that is not to be skipped says; 0 for what is no zstd. The decoder
// refuses a later frame that wants more.
func window(b []byte) uint64 {
	for {
		var h zstd.Header
		if h.Decode(b) != nil {
			return 0
		}
		if !h.Skippable {
			if h.SingleSegment {
				return h.FrameContentSize
			}
			return h.WindowSize
		}
		if uint64(len(b)) < uint64(h.HeaderSize)+uint64(h.SkippableSize) {
			return 0
		}
		b = b[h.HeaderSize+int(h.SkippableSize):]
	}
}
