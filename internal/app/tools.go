package app

import (
	"context"
	"log/slog"
	"net/http"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/mcpkit"
)

// toolsPath is the path of a service's tool server.
const toolsPath = "/mcp"

type openTools func(ctx context.Context, hc *http.Client, base, token string, log *slog.Logger) (*mcpkit.Server, error)

// tools returns the tool server of a service: a client of the instance itself,
// through the same handler as all clients. Injected errors are in the dialect of
// its data plane.
func (a *App) tools(env *environment.Environment, service string, open openTools, words mcpkit.Words, in http.Handler) http.Handler {
	client := mcpkit.InProcess(in)
	h := mcpkit.NewHandler(func(ctx context.Context, token string) (*mcpkit.Server, error) {
		return open(ctx, client, "http://"+service, token, env.Log)
	}, words, env.Log)
	return a.around(env, service, h, h, nil)
}
