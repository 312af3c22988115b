package httpkit

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
)

// The errors of compressed bodies.
var (
	BadEncoding = fault.New(fault.Invalid, "unsupported_content_encoding", "Content-Encoding is identity, gzip, deflate or zstd.")
	Corrupt     = fault.New(fault.Invalid, "corrupt_body", "The body is not what its Content-Encoding says.")
)

// maxDecoded bounds the memory of a zstd decoder, and the size of a decompressed
// body.
const maxDecoded = 20 << 20

// ReadEncoded is ReadBody for a body that may be compressed; limit applies to the
// decompressed bytes. It reads a compressed body completely before decompressing
// it, so that an incomplete one uses no more memory than was sent. It also
// returns BadEncoding and Corrupt.
func ReadEncoded(r *http.Request, limit int64) ([]byte, error) {
	b, err := ReadBody(r, limit)
	coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if err != nil || coding == "" || coding == "identity" {
		return b, err
	}
	return decompress(r.Context(), coding, b, limit)
}

// decompress returns a body without its Content-Encoding.
func decompress(ctx context.Context, coding string, b []byte, limit int64) ([]byte, error) {
	from, err := decompressor(ctx, coding, b)
	if err != nil {
		return nil, err
	}
	out, err := ReadAll(ctx, from, -1, guess(coding, b), limit)
	if err == nil {
		err = from.Close()
	}
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = TooLarge
	}
	if err != nil && !errors.Is(err, TooLarge) && !errors.Is(err, budget.Exhausted) {
		err = Corrupt.Detailf("The body is not valid %s.", coding)
	}
	return out, err
}

// guess returns the probable size of a decompressed body. gzip has it in its last
// four bytes, which are ignored if they are implausible for text.
func guess(coding string, b []byte) int64 {
	if !strings.HasSuffix(coding, "gzip") || len(b) < 18 {
		return 0
	}
	return min(int64(binary.LittleEndian.Uint32(b[len(b)-4:]))+1, 64*int64(len(b)))
}

// decompressor returns the reader for a Content-Encoding and reserves its memory.
// It returns BadEncoding, Corrupt, TooLarge and budget.Exhausted.
func decompressor(ctx context.Context, coding string, b []byte) (io.ReadCloser, error) {
	malformed := Corrupt.Detailf("The body is not valid %s.", coding)
	r := bytes.NewReader(b)
	switch coding {
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, malformed
		}
		return z, nil
	case "deflate": // zlib's format by the standard, raw deflate from some clients
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
		window := max(window(b), SmallBody)
		if window > maxDecoded {
			return nil, TooLarge
		}
		if window > SmallBody {
			if err := budget.Body(ctx, int64(window)); err != nil {
				return nil, err
			}
		}
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(maxDecoded+1))
		if err != nil {
			return nil, malformed
		}
		return z.IOReadCloser(), nil
	}
	return nil, BadEncoding
}

// window returns the memory of the decoder for a zstd body, according to the
// first frame that is not skippable; 0 for an invalid one. The decoder rejects a
// later frame that needs more.
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
