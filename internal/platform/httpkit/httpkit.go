// Package httpkit contains what the wire packages share: reading bodies within a
// limit, strict JSON, replies, and the middleware around every service. Each
// service passes it the form of its errors.
package httpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
)

// The errors of reading a request.
var (
	TooLarge = budget.TooLarge
	BadJSON  = fault.New(fault.Invalid, "invalid_json", "The request body is not valid JSON.")
	Aborted  = fault.New(fault.Invalid, "request_timeout", "The request body ended early.")
	// ReplyTooLarge means that a reply exceeds budget.MaxReply.
	ReplyTooLarge = fault.New(fault.Unprocessable, "reply_too_large", "The reply would be longer than 32 MiB: ask for less at once.")
)

// SmallBody is the largest body, in bytes, that needs no reservation.
const SmallBody = 64 << 10

// likelyBody is how many announced bytes of a body are allocated before they
// arrive.
const likelyBody = 256 << 10

// ReadBody reads a body of at most limit bytes. It reserves memory for a large
// one until the request ends. It returns TooLarge, Aborted or budget.Exhausted.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	n := r.ContentLength
	if n > limit {
		drop(r)
		return nil, TooLarge
	}
	if n >= 0 && n <= SmallBody {
		b := make([]byte, n)
		if _, err := io.ReadFull(r.Body, b); err != nil {
			return nil, Aborted.Because(err)
		}
		return b, nil
	}
	b, err := ReadAll(r.Context(), r.Body, n, min(n, likelyBody), limit)
	if err == nil && int64(len(b)) < n {
		err = Aborted.Because(io.ErrUnexpectedEOF)
	}
	if errors.Is(err, TooLarge) {
		drop(r)
	}
	return b, err
}

// droppedBytes bounds how much of a body that is too large is read.
const droppedBytes = 32 << 20

// drop reads the rest of a body that is too large, unless it is much too large or the
// client waits with it. Most clients send a body whole before they read the reply: if
// the connection ended before, they would report that, and not the reply.
func drop(r *http.Request) {
	if r.ContentLength <= droppedBytes && r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, droppedBytes)
	}
}

// ReadAll reads up to limit bytes; size is the announced number (-1 if unknown)
// and guess the probable one. Memory grows with what has arrived. It returns
// TooLarge, budget.Exhausted, and Aborted with the error of r.
func ReadAll(ctx context.Context, r io.Reader, size, guess, limit int64) ([]byte, error) {
	most := limit + 1 // one byte more detects an excess
	if size >= 0 {
		most = min(size, most)
	}
	first := min(max(SmallBody, guess), most)
	if first > SmallBody {
		if err := budget.Body(ctx, first-SmallBody); err != nil {
			return nil, err
		}
	}
	b, held := make([]byte, 0, first), first
	for int64(len(b)) < most {
		if len(b) == cap(b) {
			grown := min(2*int64(cap(b)), most)
			if needed := int64(cap(b)) + grown; needed > held { // both copies exist while one is copied to the other
				if err := budget.Body(ctx, needed-held); err != nil {
					return nil, err
				}
				held = needed
			}
			b = append(make([]byte, 0, grown), b...)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, Aborted.Because(err)
		}
	}
	if int64(len(b)) > limit {
		return nil, TooLarge
	}
	return b, nil
}

// maxDepth is the deepest nesting of accepted JSON.
const maxDepth = 100

// IsText reports whether a text of a path, a query or a form is valid: databases
// reject NUL and invalid UTF-8. JSON is checked when it is decoded.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// ReadJSON decodes a JSON object of at most limit bytes into v; an empty body
// counts as {}. It ignores unknown members. It returns TooLarge, Aborted,
// budget.Exhausted or BadJSON, the last with the invalid member if known. It
// rejects NUL characters and invalid UTF-8, which databases do not accept.
func ReadJSON(r *http.Request, limit int64, v any) error {
	b, err := ReadBody(r, limit)
	if err != nil {
		return err
	}
	return DecodeJSON(r.Context(), b, v)
}

// DecodeJSON is ReadJSON for a body that has been read. It reserves memory for
// the result until ctx ends.
func DecodeJSON(ctx context.Context, b []byte, v any) error {
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	if err := budget.JSON(ctx, b); err != nil {
		return err
	}
	if !utf8.Valid(b) {
		return BadJSON.Detailf("The request body is not UTF-8.")
	}
	if detail := unfit(b); detail != "" {
		return BadJSON.Detailf("%s", detail)
	}
	if json.Unmarshal(b, v) == nil {
		return nil
	}
	// A Decoder copies b piece by piece, but says where an error is, and what follows a value.
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(v); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			if te.Field == "" {
				if te.Type.Kind() == reflect.Slice {
					return BadJSON.Detailf("The request body must be a JSON array.")
				}
				return BadJSON.Detailf("The request body must be a JSON object.")
			}
			return BadJSON.At(te.Field).Detailf("The value of %q must be of type %s.", te.Field, jsonType(te.Type.Kind().String()))
		}
		return BadJSON.Because(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return BadJSON
	}
	return nil
}

func jsonType(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "integer"
	case strings.HasPrefix(kind, "float"):
		return "number"
	case kind == "struct", kind == "map":
		return "object"
	case kind == "slice":
		return "array"
	case kind == "bool":
		return "boolean"
	}
	return kind
}

// unfit returns a sentence about JSON that is valid but not accepted, or "": deep
// nesting, which costs stack, and NUL characters, which databases cannot store.
func unfit(b []byte) string {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			if bytes.HasPrefix(b[i+1:], []byte("u0000")) {
				return "Text must not hold the NUL character."
			}
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return "The JSON is nested too deeply."
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return ""
}

// keptBuffer is the largest buffer that is pooled, in bytes.
const keptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// buffer returns an empty buffer from the pool, and a function that returns it.
func buffer() (buf *bytes.Buffer, giveBack func()) {
	buf = buffers.Get().(*bytes.Buffer)
	buf.Reset()
	return buf, func() {
		if buf.Cap() <= keptBuffer {
			buffers.Put(buf)
		}
	}
}

// newEncoder returns an encoder for replies; it writes a newline after each
// value.
func newEncoder(buf *bytes.Buffer) *json.Encoder {
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON replies with v as JSON, without HTML escapes.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	buf, giveBack := buffer()
	defer giveBack()
	if err := newEncoder(buf).Encode(v); err != nil {
		panic(err) // the types of this program always encode
	}
	head(w, status, buf.Len())
	_, _ = w.Write(buf.Bytes())
}

// WriteRaw replies with encoded JSON. The body must not be changed afterwards.
func WriteRaw(w http.ResponseWriter, status int, body []byte) {
	head(w, status, len(body))
	if o, ok := w.(interface{ WriteOwned([]byte) (int, error) }); ok {
		_, _ = o.WriteOwned(body)
		return
	}
	_, _ = w.Write(body)
}

// head writes the header of a reply, with a challenge for a bearer token if it has
// status 401 and no other challenge. It panics with ReplyTooLarge, which the
// middleware handles, for a reply that is too long: lists should end earlier.
func head(w http.ResponseWriter, status, length int) {
	if length > budget.MaxReply {
		panic(ReplyTooLarge)
	}
	h := w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = contentTypeJSON
	}
	h["Content-Length"] = []string{strconv.Itoa(length)}
	if status == http.StatusUnauthorized && h["Www-Authenticate"] == nil {
		h["Www-Authenticate"] = challenge // HTTP requires one
	}
	w.WriteHeader(status)
}

var challenge = []string{"Bearer"}

var contentTypeJSON = []string{"application/json; charset=utf-8"}

// Bearer returns the token of the Authorization header, or "". The scheme is
// case-insensitive.
func Bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Credential returns the token after "Bearer" in the Authorization header, or the
// whole header, since some clients send keys without a scheme.
func Credential(r *http.Request) string {
	if token := Bearer(r); token != "" {
		return token
	}
	return strings.TrimSpace(r.Header.Get("Authorization"))
}

// Status returns the HTTP status for a kind of error.
func Status(k fault.Kind) int {
	switch k {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Unprocessable:
		return http.StatusUnprocessableEntity
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// SetRetryAfter sets the header Retry-After, in whole seconds, for an error with
// RetryAfter.
func SetRetryAfter(w http.ResponseWriter, err error) {
	if e, ok := fault.As(err); ok {
		RetryIn(w, e.RetryAfter)
	}
}

// RetryIn sets the header Retry-After to a duration, in seconds rounded up. It
// does nothing for 0.
func RetryIn(w http.ResponseWriter, d time.Duration) {
	if d > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	}
}

// StripPrefix removes a prefix from the path. It modifies r instead of copying
// it.
func StripPrefix(r *http.Request, prefix string) {
	r.URL.Path = r.URL.Path[len(prefix):]
	if raw := r.URL.RawPath; raw != "" {
		if rest, ok := strings.CutPrefix(raw, prefix); ok {
			r.URL.RawPath = rest
		} else {
			r.URL.RawPath = ""
		}
	}
}
