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

// look is a read of the web UI.
type look struct {
	// record makes it an ordinary request, which agents of a graded environment
	// always make; nil if any caller may look.
	record func()
	ended  bool // it has become an ordinary request
}

// isReading reports whether a request only reads.
func (a Around) isReading(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || a.Reads != nil && a.Reads(r)
}

// IsLooking reports whether a request is a read of the web UI: it is not
// recorded, draws no id from the environment's sequence, and is not charged to
// rate limits.
func IsLooking(ctx context.Context) bool {
	l := lookOf(ctx)
	return l != nil && !l.ended
}

func lookOf(ctx context.Context) *look {
	l, _ := ctx.Value(lookingKey{}).(*look)
	return l
}

// endLook makes a read of the web UI an ordinary request, if its caller must not
// look.
func endLook(ctx context.Context) {
	if l := lookOf(ctx); l != nil && l.record != nil && !l.ended {
		l.ended = true
		l.record()
	}
}
