package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"understudy/internal/app"
	"understudy/internal/platform/config"
	"understudy/internal/platform/obs"
)

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
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	a, err := app.New(ctx, c.Serve, log)
	if err != nil {
		return err
	}
	fmt.Print(a.Greeting())
	return a.Run(ctx)
}
