// Package obs is how the program shows what it does: logs, metrics and the
// request id that ties a log line, a recorded request and an event together.
package obs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Logger returns a logger of a level ("debug", "info", "warn", "error") and a
// format ("text", "json"). Of warnings and errors with one message it writes
// the first ones of a few seconds and how many followed.
func Logger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(strings.ToUpper(level))); err != nil {
		return nil, fmt.Errorf("unknown log level %q: use debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(newCalm(slog.NewTextHandler(w, options))), nil
	case "json":
		return slog.New(newCalm(slog.NewJSONHandler(w, options))), nil
	}
	return nil, fmt.Errorf("unknown log format %q: use text or json", format)
}

type requestIDKey struct{}

// RequestIDKey is the key under which contexts carry the id of a request, a
// string, for those that carry more than that.
var RequestIDKey any = requestIDKey{}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
