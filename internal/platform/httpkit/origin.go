package httpkit

import (
	"context"
	"net/http"

	"understudy/internal/platform/fault"
)

type (
	originKey struct{}
	badURLKey struct{}
)

// WithOrigin returns a context for requests of clients that reach the server by
// this URL, regardless of their Host header: scheme, host, and the path prefix of
// a proxy.
func WithOrigin(ctx context.Context, origin string) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// Origin returns the URL by which the client of a request reaches the server,
// without a trailing slash; the path of the request follows it.
func Origin(r *http.Request) string {
	if origin, ok := r.Context().Value(originKey{}).(string); ok {
		return origin
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// BadURL rejects a URL with an invalid percent escape.
var BadURL = fault.New(fault.Invalid, "invalid_url", "The URL has a % that two hexadecimal digits do not follow; a percent sign itself is %25.")

// WithBadURL returns the context of a request that must be rejected with BadURL.
func WithBadURL(ctx context.Context) context.Context {
	return context.WithValue(ctx, badURLKey{}, true)
}

// HasBadURL reports whether a request must be rejected with BadURL.
func HasBadURL(r *http.Request) bool { return r.Context().Value(badURLKey{}) != nil }
