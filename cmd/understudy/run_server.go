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
	"understudy/internal/task/plane"
)

// open returns a client of the server that the flags find. Where they find none,
// it starts one on loopback with a temporary folder, which end ends.
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
		fmt.Fprintf(os.Stderr, "understudy: nobody answers at %s, which %s/credentials.json names: a server of its own serves the runs\n", f.AdminURL, f.Data)
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
