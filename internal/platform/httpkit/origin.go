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

// WithOrigin returns a context for requests of clients that know the server by
// this URL, whatever their Host header says: scheme, host, and the path below
// which a proxy serves it.
func WithOrigin(ctx context.Context, origin string) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// Origin returns the URL by which the client of a request knows the server,
// without a slash at its end. The path of the request follows it.
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

// BadURL is the refusal of a URL with a broken percent escape.
var BadURL = fault.New(fault.Invalid, "invalid_url", "The URL has a % that two hexadecimal digits do not follow; a percent sign itself is %25.")

// WithBadURL returns the context of a request that is to be refused with BadURL.
func WithBadURL(ctx context.Context) context.Context {
	return context.WithValue(ctx, badURLKey{}, true)
}

// HasBadURL reports whether a request is to be refused with BadURL.
func HasBadURL(r *http.Request) bool { return r.Context().Value(badURLKey{}) != nil }
