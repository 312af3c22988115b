package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	messagingtools "understudy/internal/messaging/mcptools"
	"understudy/internal/platform/mcpkit"
	"understudy/internal/platform/obs"
	trackertools "understudy/internal/tracker/mcptools"
)

type mcpCmd struct {
	Messaging mcpMessagingCmd `cmd:"" help:"Serve messaging tools, as the holder of the token in CHAT_MCP_TOKEN."`
	Tracker   mcpTrackerCmd   `cmd:"" help:"Serve tracker tools, as the holder of the key in TRACKER_MCP_API_KEY."`
}

// callTime is how long one call of the service may take.
const callTime = 30 * time.Second

// toolLog configures the log of a tool server. It goes to standard error, since
// standard output carries only the protocol.
type toolLog struct {
	LogLevel  string `default:"warn" help:"Lowest level of log lines: debug, info, warn or error."`
	LogFormat string `default:"text" help:"Format of log lines: text or json."`
}

type mcpMessagingCmd struct{ toolLog }

// Run serves until the input ends.
func (c *mcpMessagingCmd) Run() error {
	return c.serve("CHAT_MCP_TOKEN", "a bot token (xoxb-…) or user token (xoxp-…)", "CHAT_MCP_BASE_URL", "http://127.0.0.1:4400/messaging", messagingtools.Open)
}

type mcpTrackerCmd struct{ toolLog }

// Run serves until the input ends.
func (c *mcpTrackerCmd) Run() error {
	return c.serve("TRACKER_MCP_API_KEY", "a personal API key (trk_api_…)", "TRACKER_MCP_BASE_URL", "http://127.0.0.1:4400/tracker", trackertools.Open)
}

type openTools func(ctx context.Context, hc *http.Client, base, token string, log *slog.Logger) (*mcpkit.Server, error)

// serve reads the token from one variable and the base URL from another, which
// has a default, and serves the tools on stdio.
func (c *toolLog) serve(tokenVar, tokenIs, baseVar, base string, open openTools) error {
	log, err := obs.Logger(os.Stderr, c.LogLevel, c.LogFormat)
	if err != nil {
		return usageError{err}
	}
	token := os.Getenv(tokenVar)
	if token == "" {
		return fmt.Errorf("%s is not set: it must hold %s", tokenVar, tokenIs)
	}
	standard := base
	if given := os.Getenv(baseVar); given != "" {
		base = given
	}
	if u, err := url.Parse(base); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usageError{fmt.Errorf("%s must be a URL such as %s, not %q", baseVar, standard, base)}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	s, err := open(ctx, &http.Client{Timeout: callTime}, base, token, log)
	if err != nil {
		return fmt.Errorf("%s: %w", tokenVar, err)
	}
	return s.Stdio(ctx)
}
