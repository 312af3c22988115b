package httpkit

import (
	"context"
	"net/http"
)

// ClientHeader is the header in which a client names itself. The web UI sends
// "web"; its read-only requests are not recorded, so that viewing a world does
// not change it.
const ClientHeader = "Understudy-Client"

// WebClient is the value of ClientHeader of the web UI.
const WebClient = "web"

type lookingKey struct{}

// isReading reports whether a request only reads.
func (a Around) isReading(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || a.Reads != nil && a.Reads(r)
}

// IsLooking reports whether a request is a read of the web UI: it is not
// recorded, draws no id from the environment's sequence, and is not charged to
// rate limits.
func IsLooking(ctx context.Context) bool { return ctx.Value(lookingKey{}) != nil }

func withLooking(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookingKey{}, true)
}
