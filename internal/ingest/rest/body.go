package rest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/httpkit"
)

const (
	maxBody    = 20 << 20 // bytes, after decompression
	maxEvent   = 8 << 20
	maxSession = 1 << 20
	// maxInFlight bounds the bytes of all bodies that are being taken in.
	maxInFlight = 256 << 20
	// bodyTime is how long a body may take to arrive.
	bodyTime = time.Minute
)

// body reads a request's body of at most limit bytes, decompressed. release
// must be called when it is no longer in use. A body whose length is not known
// beforehand counts as large as it may be.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, limit int64) (b []byte, release func(), err error) {
	if t := r.Header.Get("Content-Type"); t != "" {
		media, _, err := mime.ParseMediaType(t)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, nil, badEncoding
		}
	}
	large := bodyTooLarge.Detailf("The body is more than %d bytes after decompression.", limit).With(limitBytes(limit))
	if r.ContentLength > limit {
		return nil, nil, large
	}
	coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	reserve := limit
	if r.ContentLength >= 0 && (coding == "" || coding == "identity") {
		reserve = r.ContentLength
	}
	if h.inFlight.Add(reserve) > maxInFlight {
		h.inFlight.Add(-reserve)
		return nil, nil, busy
	}
	free := func() { h.inFlight.Add(-reserve) }
	defer func() {
		if err != nil {
			free()
		}
	}()
	_ = http.NewResponseController(w).SetReadDeadline(clock.Real().Add(bodyTime))
	if coding == "" || coding == "identity" {
		b, err = httpkit.ReadBody(r, limit)
		if errors.Is(err, httpkit.TooLarge) {
			err = large
		}
		if errors.Is(err, httpkit.Aborted) {
			err = badRequest.Detailf("The body ended early.")
		}
		return b, free, err
	}
	from, err := decompressor(coding, r.Body)
	if err != nil {
		return nil, nil, err
	}
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(from, limit+1))
	if err == nil {
		err = from.Close()
	}
	switch {
	case n > limit:
		return nil, nil, large
	case err != nil:
		return nil, nil, badRequest.Detailf("The body is not valid %s.", coding)
	}
	return buf.Bytes(), free, nil
}

func decompressor(coding string, r io.Reader) (io.ReadCloser, error) {
	malformed := badRequest.Detailf("The body is not valid %s.", coding)
	switch coding {
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, malformed
		}
		return z, nil
	case "deflate": // by the book zlib's format, of some clients the bare one
		head := make([]byte, 2)
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, malformed
		}
		whole := io.MultiReader(bytes.NewReader(head), r)
		if head[0]&0x0f == 8 && (uint16(head[0])<<8|uint16(head[1]))%31 == 0 {
			z, err := zlib.NewReader(whole)
			if err != nil {
				return nil, malformed
			}
			return z, nil
		}
		return flate.NewReader(whole), nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxBody))
		if err != nil {
			return nil, malformed
		}
		return z.IOReadCloser(), nil
	}
	return nil, badEncoding
}
