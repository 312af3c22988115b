package messaging_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/internal/messaging"
)

func TestResponseURLs(t *testing.T) {
	run(t, func(w *world) {
		a := w.app(nil, nil)
		_, err := w.s.CreateCommand(w.ctx, w.admin, a, messaging.NewCommand{Command: "/c", URL: "https://x.example/"})
		w.no(err)
		invoke := func() string {
			in, err := w.s.Invoke(w.ctx, w.admin, "/c", "", w.general())
			w.no(err)
			return in.Response
		}
		answer := func(secret string, in messaging.Answer) error { return w.s.Respond(w.ctx, secret, in) }
		text := func(s string) messaging.Answer {
			return messaging.Answer{InChannel: true, Message: messaging.PostMessage{Text: s}}
		}
		first := invoke()
		w.no(answer(first, text("posted")))
		w.no(answer(first, messaging.Answer{ReplaceOriginal: true, Message: messaging.PostMessage{Text: "replaced"}}))
		w.no(answer(first, messaging.Answer{Message: messaging.PostMessage{Text: "for your eyes"}}))
		w.refuses(messaging.NoText, answer(first, messaging.Answer{InChannel: true}))
		if got := w.history(w.admin, w.general())[0]; got.Text != "replaced" || got.User != a.BotUserID {
			w.t.Errorf("%+v", got)
		}
		w.no(answer(first, messaging.Answer{DeleteOriginal: true}))
		w.refuses(messaging.ResponseSpent, answer(first, text("sixth")))
		second := invoke()
		w.clock.Advance(29 * time.Minute)
		w.no(answer(second, text("late")))
		w.clock.Advance(2 * time.Minute)
		w.refuses(messaging.ResponseExpired, answer(second, text("too late")))
		w.refuses(messaging.ResponseExpired, answer("nonsense", text("x")))
		for _, m := range w.history(w.admin, w.general()) {
			if slices.Contains([]string{"replaced", "posted", "for your eyes", "sixth", "too late"}, m.Text) {
				w.t.Errorf("%q stands in the channel", m.Text)
			}
		}
		_, err = w.s.Invoke(w.ctx, w.admin, "/c", "", "nowhere")
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.Invoke(w.ctx, w.admin, "/d", "", w.general())
		w.refuses(messaging.CommandNotFound, err)
		_, err = w.s.CreateCommand(w.ctx, w.admin, a, messaging.NewCommand{Command: "/c", URL: "https://x.example/"})
		w.refuses(messaging.CommandTaken, err)
		for _, bad := range []string{"c", "/", "/a b", "/" + fmt.Sprintf("%040d", 1)} {
			_, err = w.s.CreateCommand(w.ctx, w.admin, a, messaging.NewCommand{Command: bad, URL: "https://x.example/"})
			w.refuses(messaging.BadCommand, err)
		}
	})
}

func TestMentionsAreEscapedWhenAsked(t *testing.T) {
	run(t, func(w *world) {
		ann := w.person("ann")
		_, err := w.s.CreateCommand(w.ctx, w.admin, w.app(nil, nil), messaging.NewCommand{Command: "/c", URL: "https://x.example/", ShouldEscape: true})
		w.no(err)
		in, err := w.s.Invoke(w.ctx, w.admin, "/c", "tell @ann in #general, not @nobody or a@ann", w.general())
		w.no(err)
		if want := "tell <@" + ann.ID + "|ann> in <#" + w.general() + "|general>, not @nobody or a@ann"; in.Text != want {
			w.t.Errorf("%q, want %q", in.Text, want)
		}
		in, err = w.s.Invoke(w.ctx, w.admin, "/c", "ask @Ann. Or (#general). <@ann> @ann_- x.@ann @...", w.general())
		w.no(err)
		if want := "ask <@" + ann.ID + "|Ann>. Or (<#" + w.general() + "|general>). <@ann> <@" + ann.ID + "|ann>_- x.@ann @..."; in.Text != want {
			w.t.Errorf("%q, want %q", in.Text, want)
		}
	})
}
