package messaging_test

import (
	"testing"
	"time"

	"understudy/internal/messaging"
)

// eventually waits until a condition holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	w.t.Errorf("%s: not within 10 seconds; the newest events are %v", what, w.kinds(4))
}

func TestAStatusEndsOnTheEnvironmentsClock(t *testing.T) {
	run(t, func(w *world) {
		set := func(doc string) {
			t.Helper()
			_, err := w.s.SetProfile(w.ctx, w.admin, messaging.ProfileChange{Profile: []byte(doc)})
			w.no(err)
		}
		status := func() string {
			u, err := w.s.UserByID(w.ctx, w.admin, w.admin.ID)
			w.no(err)
			return u.Profile.StatusText + u.Profile.StatusEmoji
		}
		set(`{"status_text":"lunch","status_emoji":":taco:","status_expiration":1772370000}`) // an hour on
		w.clock.Advance(59 * time.Minute)
		same(t, "the status", status(), "lunch:taco:")
		before := len(w.emitted(1000))
		w.clock.Advance(2 * time.Minute)
		same(t, "the status at once", status(), "")
		w.eventually("the end is told", func() bool { return len(w.emitted(1000)) == before+2 })
		same(t, "events", w.kinds(2), []string{"user_status_changed", "user_change"})
		profile := w.emitted(1)[0]["user"].(map[string]any)["profile"].(map[string]any)
		same(t, "the profile", []any{profile["status_text"], profile["status_emoji"], profile["status_expiration"]}, []any{"", "", 0.0})

		set(`{"status_text":"long ago","status_emoji":":zzz:","status_expiration":1}`)
		same(t, "a status that has ended already", status(), "")
		set(`{"status_text":"for good","status_emoji":":zzz:","status_expiration":0}`)
		w.clock.Advance(1000 * time.Hour)
		same(t, "one without an end", status(), "for good:zzz:")
	})
}

func TestPresenceFollowsConnections(t *testing.T) {
	run(t, func(w *world) {
		seen := func(n int) (out []string) {
			for _, e := range w.emitted(1000) {
				if e["type"] == "presence_change" {
					out = append(out, e["presence"].(string))
				}
			}
			if len(out) > n {
				out = out[len(out)-n:]
			}
			return out
		}
		wants := func(want ...string) {
			t.Helper()
			w.eventually("presence", func() bool {
				got := seen(len(want))
				return len(got) == len(want) && got[len(got)-1] == want[len(want)-1]
			})
			same(t, "presence", seen(100), want)
		}
		// Who never connected counts as active, so a first connection changes nothing.
		w.s.Connected(w.admin.Workspace, w.admin.ID, true)
		w.no(w.s.SetPresence(w.ctx, w.admin, "away"))
		wants("away")
		w.s.Connected(w.admin.Workspace, w.admin.ID, false) // nobody sees a difference
		w.s.Connected(w.admin.Workspace, w.admin.ID, true)
		w.no(w.s.SetPresence(w.ctx, w.admin, "auto"))
		w.eventually("all is done", func() bool { return len(seen(9)) >= 2 })
		w.s.Connected(w.admin.Workspace, w.admin.ID, false)
		w.eventually("away", func() bool { got := seen(1); return got[0] == "away" })
		w.s.Connected(w.admin.Workspace, w.admin.ID, true)
		w.eventually("active", func() bool { got := seen(1); return got[0] == "active" })
	})
}

func TestPicturesAreEmoji(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "emoji", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "see :shipit: and :nope:"})
		for name, want := range map[string]error{"shipit": nil, ":bowtie:": nil, "nope": messaging.BadEmojiName} {
			w.refuses(want, w.s.AddReaction(w.ctx, w.admin, messaging.Reaction{Channel: ch, TS: p.TS, Name: name}))
		}
		w.refuses(messaging.AlreadyReacted, w.s.AddReaction(w.ctx, w.admin, messaging.Reaction{Channel: ch, TS: p.TS, Name: "squirrel"}))
	})
}
