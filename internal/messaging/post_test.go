package messaging_test

import (
	"testing"

	"understudy/internal/messaging"
)

// What a post has read of its channel is kept for the next ones, and no longer
// than it is true.
func TestPostsSeeTheirChannelAsItIs(t *testing.T) {
	run(t, func(w *world) {
		ann := w.person("ann")
		channel := w.channel(w.admin, "plans", false)
		say := func(c messaging.Caller) error {
			_, err := w.s.PostMessage(w.ctx, c, messaging.PostMessage{Channel: channel, Text: "hello"})
			return err
		}
		join := func() {
			_, _, err := w.s.JoinChannel(w.ctx, ann, channel)
			w.no(err)
			w.no(say(ann))
		}
		w.no(say(w.admin))
		w.refuses(messaging.NotInChannel, say(ann))
		join()
		_, err := w.s.Leave(w.ctx, ann, channel)
		w.no(err)
		w.refuses(messaging.NotInChannel, say(ann))
		join()
		w.no(w.s.Kick(w.ctx, w.admin, channel, ann.ID))
		w.refuses(messaging.NotInChannel, say(ann))
		w.no(say(w.admin))

		last := messaging.TS(0)
		for _, m := range w.history(w.admin, channel) { // newest first; the clock stands still
			ts, ok := messaging.ParseTS(m.TS)
			if !ok || last != 0 && ts >= last {
				t.Errorf("%s after %s", last, m.TS)
			}
			last = ts
		}
		w.no(w.s.Archive(w.ctx, w.admin, channel))
		w.refuses(messaging.IsArchived, say(w.admin))
	})
}
