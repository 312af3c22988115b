package realtime

import (
	"github.com/zishang520/socket.io/servers/engine/v3"
	"github.com/zishang520/socket.io/v3/pkg/types"
)

// cleanOnce makes the engine clean up after a poll once, before its reply is
// written. It would do so again after the reply is complete: by then the client's
// next poll may have come, which would be forgotten and never answered.
func cleanOnce(e engine.BaseServer) {
	_ = e.On("headers", func(args ...any) {
		if len(args) > 1 {
			if ctx, ok := args[1].(*types.HttpContext); ok {
				ctx.Cleanup = nil
			}
		}
	})
}
