package realtime

import (
	"github.com/zishang520/socket.io/servers/engine/v3"
	"github.com/zishang520/socket.io/v3/pkg/types"
)

// cleanOnce makes the engine clean up after a poll only before its reply is
// written. By default it does so again after the reply is complete: the client's
// next poll may then have arrived, and would be dropped without a reply.
func cleanOnce(e engine.BaseServer) {
	_ = e.On("headers", func(args ...any) {
		if len(args) > 1 {
			if ctx, ok := args[1].(*types.HttpContext); ok {
				ctx.Cleanup = nil
			}
		}
	})
}
