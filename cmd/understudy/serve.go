package main

import (
	"context"
	"fmt"
	"io"
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
	addProcessor()
	c.Version, c.Commit = version, revision()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if c.Temporary {
		if err := claimTemporary(c.Data); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(c.Data) }()
		go stopAtEOF(os.Stdin, stop)
	}
	a, err := app.New(ctx, c.Serve, log)
	if err != nil && ctx.Err() != nil { // stopped before it had started
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Print(a.Greeting())
	return a.Run(ctx)
}

// claimTemporary creates a directory that is removed at the end. It rejects one
// that is not empty.
func claimTemporary(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	have, err := os.ReadDir(folder)
	if err == nil && len(have) > 0 {
		err = fmt.Errorf("--temporary needs an empty data folder, since it is removed at the end: %s is not empty", folder)
	}
	return err
}

// stopAtEOF calls stop when the input ends, as it does when the process at its
// other end ends.
func stopAtEOF(input io.Reader, stop func()) {
	_, _ = io.Copy(io.Discard, input)
	stop()
}
