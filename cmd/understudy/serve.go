package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"understudy/internal/app"
	"understudy/internal/platform/config"
	"understudy/internal/platform/obs"
)

// gcPercent trades memory for time: what lives is small (10 MB at rest) and
// what requests leave behind is much, so that the usual 100 collects seventy
// times a second under load, a third of the work. GOGC overrides it.
const gcPercent = 300

type serveCmd struct {
	config.Serve
}

// Run serves until SIGTERM or SIGINT.
func (c *serveCmd) Run() error {
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	log, err := obs.Logger(os.Stderr, c.LogLevel, c.LogFormat)
	if err != nil {
		return usageError{err}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	c.Version, c.Commit = version, revision()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	a, err := app.New(ctx, c.Serve, log)
	if err != nil {
		return err
	}
	fmt.Print(a.Greeting())
	return a.Run(ctx)
}
