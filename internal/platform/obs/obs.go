// Package obs contains logs, metrics, and the request id that connects a log
// line, a recorded request and an event.
package obs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Logger returns a logger with a level ("debug", "info", "warn", "error") and a
// format ("text", "json"). It limits repeated warnings and errors with the same
// message.
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

// RequestIDKey is the context key of a request's id, a string. It is exported for
// contexts that hold the id in a larger value.
var RequestIDKey any = requestIDKey{}

// RequestID returns the id of ctx's request, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
