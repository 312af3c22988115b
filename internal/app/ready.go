package app

import (
	"context"
	"net/http"
	"time"

	"understudy/internal/platform/httpkit"
)

// readyTime is how long the database may take to answer before the program counts
// as not ready.
const readyTime = time.Second

// serveReady serves /readyz: 200 while requests can be served, 503 while the
// program ends or the database does not answer.
func (a *App) serveReady(w http.ResponseWriter, r *http.Request) {
	status, reason := http.StatusOK, "ready"
	if a.draining.Load() {
		status, reason = http.StatusServiceUnavailable, "draining"
	} else if err := a.ping(r.Context()); err != nil {
		status, reason = http.StatusServiceUnavailable, "database_unavailable"
	}
	w.Header().Set("Cache-Control", "no-store")
	if status != http.StatusOK {
		httpkit.RetryIn(w, time.Second)
	}
	httpkit.WriteJSON(w, status, map[string]string{"status": reason})
}

// ping returns an error unless the database answers within readyTime.
func (a *App) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- a.envs.Ping(ctx) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
