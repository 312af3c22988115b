package webapi

import (
	"strings"

	"understudy/internal/messaging"
)

// reaction reads the arguments of both methods, checking in upstream's order.
func (c *call) reaction() (messaging.Reaction, error) {
	in := messaging.Reaction{Channel: c.text("channel"), Name: c.text("name")}
	at := c.text("timestamp")
	if in.Channel == "" || at == "" {
		if c.text("file") != "" || c.text("file_comment") != "" {
			return in, fileNotFound
		}
		return in, noItem
	}
	var parsed bool
	if in.TS, parsed = messaging.ParseTS(at); !parsed || !strings.Contains(at, ".") {
		return in, badTimestamp
	}
	return in, nil
}

func addReaction(c *call) (*reply, error) {
	in, err := c.reaction()
	if err != nil {
		return nil, err
	}
	return ok(), c.service.AddReaction(c.r.Context(), c.caller, in)
}

func removeReaction(c *call) (*reply, error) {
	in, err := c.reaction()
	if err != nil {
		return nil, err
	}
	return ok(), c.service.RemoveReaction(c.r.Context(), c.caller, in)
}
