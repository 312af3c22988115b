package realtime

import (
	"github.com/zishang520/socket.io/servers/engine/v3"
	"github.com/zishang520/socket.io/v3/pkg/types"
)

// The engine has the number of a forbidden handshake for an unsupported protocol.
// Engine.IO's own server, whose numbers clients know, has 4 for the former and 5 for
// the latter.
func init() { engine.UNSUPPORTED_PROTOCOL_VERSION.Code = 5 }

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
