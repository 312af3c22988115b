package messaging_test

import (
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/store"
)

// Posts are too many for each to read the emoji of its workspace.
func TestPostsReadTheEmojiOfAWorkspaceOnce(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "emoji", false)
		w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "one :tada:"})
		w.no(w.w.Write(w.ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`ALTER TABLE msg_emoji RENAME TO msg_emoji_away`)
			return err
		}))
		w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "two :tada:"})
	})
}
