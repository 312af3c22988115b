package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"understudy/internal/app"
	"understudy/internal/platform/config"
	"understudy/internal/platform/obs"
	"understudy/internal/task"
	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
	"understudy/internal/task/runner"
)

// session is the server and the signal handling of a command that makes runs.
type session struct {
	ctx    context.Context
	hurry  <-chan struct{}
	server *plane.Client
	end    func() // stops the server, if the session started it, and the handling of signals
}

// begin opens a server for a number of concurrent callers.
func (f *serverFlags) begin(callers int) (*session, error) {
	ctx, hurry, done := interruptible()
	server, end, err := f.open(callers)
	if err != nil {
		done()
		return nil, err
	}
	return &session{ctx, hurry, server, func() {
		end()
		done()
	}}, nil
}

// run makes the runs of tasks. Its error determines the exit status of the
// contract.
func (s *session) run(o runner.Options, w runner.Watcher, tasks []*task.Task) ([]outcome.Run, error) {
	o.Environ, o.Hurry = os.Environ(), s.hurry
	runs, err := runner.New(s.server, o, w).Run(s.ctx, tasks)
	if err != nil {
		return nil, usageOr(err)
	}
	return runs, nil
}

// interrupted reports whether a signal has ended the runs.
func (s *session) interrupted() bool { return s.ctx.Err() != nil }

// open returns a client of the server to which the flags refer. If there is none,
// it starts one on loopback with a temporary directory, which end removes.
func (f *serverFlags) open(callers int) (client *plane.Client, end func(), err error) {
	named := f.AdminURL != ""
	if err := f.find(); err != nil {
		if named || f.AdminKey != "" {
			return nil, nil, usageError{err}
		}
		return f.serve(callers)
	}
	client = plane.New(f.AdminURL, f.AdminKey, callers)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = client.Do(ctx, http.MethodGet, "/environments?limit=1&counts=false", nil, nil)
	switch {
	case err == nil:
		return client, func() {}, nil
	case !named && plane.Refused(err) == nil:
		fmt.Fprintf(os.Stderr, "understudy: nobody answers at %s: a server of its own serves the runs\n", f.AdminURL)
		return f.serve(callers)
	}
	return nil, nil, usageError{fmt.Errorf("%s: %w", f.AdminURL, err)}
}

// serve starts a server that ends with the program.
func (f *serverFlags) serve(callers int) (*plane.Client, func(), error) {
	dir, err := os.MkdirTemp("", "understudy-server-")
	if err != nil {
		return nil, nil, err
	}
	log, err := obs.Logger(os.Stderr, "error", "text")
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	a, err := app.New(ctx, config.Serve{Listen: "127.0.0.1:0", Data: dir, Mode: "api", RateLimits: "real", LogLevel: "error", LogFormat: "text", Version: version, Commit: revision()}, log)
	if err != nil {
		stop()
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	own := serverFlags{Data: dir}
	if err := own.find(); err != nil {
		stop()
		return nil, nil, err
	}
	client := plane.New(own.AdminURL, own.AdminKey, callers)
	return client, func() {
		client.HTTP.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			fmt.Fprintln(os.Stderr, "understudy:", err)
		}
		_ = os.RemoveAll(dir)
	}, nil
}
