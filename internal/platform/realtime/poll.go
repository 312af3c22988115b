package realtime

import (
	"net/http"
	"strings"

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

// refusal returns the error of a request to open a WebSocket that the protocol does not
// allow, such as one for an unknown session; nil for other requests. The engine would
// reply to it with a bare text: its clients read the error from JSON, as in the replies
// to polls.
func (h *Hub) refusal(w http.ResponseWriter, r *http.Request) *types.CodeMessage {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return nil
	}
	wrong, _ := h.server.Engine().Verify(types.NewHttpContext(w, r), true)
	return wrong
}
