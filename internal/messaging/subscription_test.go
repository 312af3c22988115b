package messaging_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
)

// routed has events routed, and nothing sent.
func (w *world) routed() {
	w.outbox.Deliver(messaging.Name, &outbox.Dialect{
		Render: func(context.Context, outbox.Delivery, outbox.Event) (outbound.Request, error) {
			return outbound.Request{}, outbox.Gone
		}})
}

// told returns the types and texts of what a destination was to receive since n deliveries.
func (w *world) told(destination string) (out []string) {
	w.t.Helper()
	all, err := w.outbox.List(w.ctx, outbox.Filter{Destination: destination, Limit: 1000})
	w.no(err)
	slices.Reverse(all)
	for _, d := range all {
		var inner struct{ Text, Subtype string }
		w.no(json.Unmarshal(d.Event.Payload, &inner))
		switch {
		case d.Event.Type != "message":
			out = append(out, d.Event.Type)
		case inner.Subtype != "":
			out = append(out, inner.Subtype)
		default:
			out = append(out, inner.Text)
		}
		if len(d.Note) < 10 || d.Note[:2] != "Ev" {
			w.t.Errorf("event id %q", d.Note)
		}
	}
	return out
}

func (w *world) isTold(destination string, want ...string) {
	w.t.Helper()
	if got := w.told(destination); !slices.Equal(got, want) {
		w.t.Errorf("told %q, want %q", got, want)
	}
}

func (w *world) app(bot, user []string) *messaging.App {
	w.t.Helper()
	list := func(s []string) string { b, _ := json.Marshal(s); return string(b) }
	a, err := w.s.CreateApp(w.ctx, w.admin, []byte(`{"display_information":{"name":"app"},"oauth_config":{"scopes":{"bot":`+list(bot)+`,"user":`+list(user)+`}}}`))
	w.no(err)
	return a
}

func (w *world) subscribe(a *messaging.App, types ...string) string {
	w.t.Helper()
	sub, err := w.s.Subscribe(w.ctx, w.admin, messaging.Subscribe{App: a, URL: "http://x.example/", EventTypes: types})
	w.no(err)
	return sub.ID
}

func (w *world) general() string {
	w.t.Helper()
	all, _, err := w.s.ListChannels(w.ctx, w.admin, messaging.ListChannels{Kinds: []messaging.Kind{messaging.Public}, Limit: 100})
	w.no(err)
	for _, ch := range all {
		if ch.IsGeneral {
			return ch.ID
		}
	}
	w.t.Fatal("no general channel")
	return ""
}

var histories = []string{"channels:history", "groups:history", "im:history", "mpim:history"}

func (w *world) say(c messaging.Caller, channel, text string) {
	w.t.Helper()
	w.post(c, messaging.PostMessage{Channel: channel, Text: text})
}

func TestAnAppIsToldWhatItsBotSees(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		a := w.app(histories, nil)
		bot := w.caller(a.Workspace, a.BotUserID)
		sub := w.subscribe(a, "message")
		ann := w.person("ann")
		open, closed := w.channel(ann, "open", false), w.channel(ann, "closed", true)
		w.say(ann, open, "unheard")
		w.say(ann, closed, "unheard")
		for _, ch := range []string{open, closed} {
			_, _, err := w.s.Invite(w.ctx, ann, messaging.Invite{Channel: ch, Users: []string{bot.ID}})
			w.no(err)
		}
		w.say(ann, open, "one")
		w.say(ann, closed, "two")
		w.say(ann, bot.ID, "three")
		group, err := w.s.Open(w.ctx, ann, messaging.OpenConversation{Users: []string{bot.ID, w.admin.ID}})
		w.no(err)
		w.say(ann, group.Channel.ID, "four")
		w.no(w.s.Kick(w.ctx, ann, closed, bot.ID))
		w.say(ann, closed, "unheard")
		_, _, err = w.s.Invite(w.ctx, ann, messaging.Invite{Channel: closed, Users: []string{bot.ID}})
		w.no(err)
		w.say(ann, closed, "five")
		w.isTold(sub, "channel_join", "channel_join", "one", "two", "three", "four", "channel_leave", "channel_join", "five")

		w.no(w.s.Unsubscribe(w.ctx, w.admin, messaging.Events, sub))
		w.say(ann, open, "unheard")
		if n := len(w.told(sub)); n != 9 {
			w.t.Errorf("%d deliveries after the end of the subscription", n)
		}
		all, err := w.outbox.List(w.ctx, outbox.Filter{Destination: sub, Status: outbox.Cancelled, Limit: 100})
		if w.no(err); len(all) != 9 {
			w.t.Errorf("%d pending deliveries were cancelled, want 9", len(all))
		}
	})
}

// Messages are posted while a bot joins and leaves: it receives the events of
// those posted while it is a member.
func TestNothingIsToldBehindALeaving(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		a := w.app(histories, nil)
		sub := w.subscribe(a, "message")
		ann := w.person("ann")
		ch := w.channel(ann, "moving", false)
		var posts sync.WaitGroup
		done := make(chan struct{})
		for range 4 {
			posts.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						w.say(ann, ch, "x")
					}
				}
			})
		}
		for range 30 {
			_, _, err := w.s.Invite(w.ctx, ann, messaging.Invite{Channel: ch, Users: []string{a.BotUserID}})
			w.no(err)
			w.no(w.s.Kick(w.ctx, ann, ch, a.BotUserID))
		}
		close(done)
		posts.Wait()
		in := false
		for i, text := range w.told(sub) {
			switch text {
			case "channel_join", "channel_leave":
				in = text == "channel_join"
			default:
				if !in {
					w.t.Fatalf("told of a message, the %d., behind the event of its leaving", i)
				}
			}
		}
	})
}

func TestKindsAndScopesNarrowWhatIsTold(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		all := w.app(append([]string{"channels:read", "reactions:read", "users:read"}, histories...), nil)
		groups := w.subscribe(all, "message.groups", "message.im")
		rest := w.subscribe(all, "channel_created", "channel_archive", "reaction_added", "user_change", "presence_change", "member_joined_channel", "member_left_channel")
		poor := w.app([]string{"chat:write"}, nil)
		nothing := w.subscribe(poor, messaging.EventTypes()...)
		ann := w.person("ann")
		for _, a := range []*messaging.App{all, poor} {
			_, _, err := w.s.Invite(w.ctx, ann, messaging.Invite{Channel: w.general(), Users: []string{a.BotUserID}})
			w.no(err)
		}
		w.say(ann, w.general(), "public")
		w.say(ann, all.BotUserID, "direct")
		posted := w.post(ann, messaging.PostMessage{Channel: w.general(), Text: "react"})
		w.no(w.s.AddReaction(w.ctx, ann, messaging.Reaction{Channel: w.general(), TS: posted.TS, Name: "tada"}))
		w.channel(ann, "hidden", true)
		gone := w.channel(ann, "gone", false)
		w.no(w.s.Archive(w.ctx, ann, gone))
		_, err := w.s.SetProfile(w.ctx, ann, messaging.ProfileChange{Name: "status_text", Value: "x"})
		w.no(err)
		w.no(w.s.SetPresence(w.ctx, ann, "away"))
		w.isTold(groups, "direct")
		w.isTold(nothing)
		w.isTold(rest, "member_joined_channel", "member_joined_channel", "reaction_added", "channel_created", "channel_archive", "user_change", "presence_change")
	})
}

func TestOutgoingWebhooksSeePublicChannelsAndTheirOwn(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		ann, app := w.person("ann"), w.app(nil, nil)
		open, closed := w.channel(w.admin, "open", false), w.channel(w.admin, "closed", true)
		create := func(c messaging.Caller, in messaging.OutgoingWebhook) string {
			in.URL = "https://x.example/"
			sub, err := w.s.CreateOutgoing(w.ctx, c, app, in)
			w.no(err)
			return sub.ID
		}
		every, one := create(ann, messaging.OutgoingWebhook{}), create(w.admin, messaging.OutgoingWebhook{Channel: closed})
		words := create(ann, messaging.OutgoingWebhook{Channel: "#open", TriggerWords: []string{"Go", "go on", " "}})
		_, err := w.s.CreateOutgoing(w.ctx, ann, app, messaging.OutgoingWebhook{URL: "https://x.example/", Channel: closed})
		w.refuses(messaging.ChannelNotFound, err)
		for _, text := range []string{"hello", "go", "GO there", "gone", "not go"} {
			w.say(w.admin, open, text)
		}
		w.say(w.admin, closed, "secret")
		w.isTold(every, "hello", "go", "GO there", "gone", "not go")
		w.isTold(words, "go", "GO there")
		w.isTold(one, "secret")
	})
}

func TestManifestsAreHonoured(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		a, err := w.s.CreateApp(w.ctx, w.admin, []byte(`{"display_information":{"name":"m"},
			"oauth_config":{"scopes":{"bot":["channels:history"],"user":["im:history"]}},
			"features":{"slash_commands":[{"command":"/m","url":"https://x.example/c"},{"command":"/nowhere"}]},
			"settings":{"event_subscriptions":{"request_url":"https://x.example/e","bot_events":["message.channels","app_mention"],"user_events":["message.im"]}}}`))
		w.no(err)
		subs, err := w.s.Subscriptions(w.ctx, w.admin, messaging.Events, messaging.Place{}, 10)
		if w.no(err); len(subs) != 2 {
			w.t.Fatalf("%d subscriptions", len(subs))
		}
		_, _, err = w.s.Invite(w.ctx, w.admin, messaging.Invite{Channel: w.general(), Users: []string{a.BotUserID}})
		w.no(err)
		ann := w.person("ann")
		w.say(ann, w.general(), "to the bot")
		w.say(ann, w.admin.ID, "to the installer")
		for _, s := range subs {
			if s.Viewer == w.admin.ID {
				w.isTold(s.ID, "to the installer")
			} else {
				w.isTold(s.ID, "channel_join", "channel_join", "to the bot")
			}
		}
		commands, err := w.s.Commands(w.ctx, w.admin, messaging.Place{}, 10)
		if w.no(err); len(commands) != 1 || commands[0].Command != "/m" || commands[0].App != a.ID {
			w.t.Errorf("%+v", commands)
		}
	})
}

func TestASubscriptionThatTakesNothingIsSwitchedOff(t *testing.T) {
	run(t, func(w *world) {
		a := w.app(histories, nil)
		dead, weak, few := w.subscribe(a, "message"), w.subscribe(a, "message"), w.subscribe(a, "message")
		for i := range 1100 {
			if i%100 == 0 {
				w.clock.Advance(time.Minute)
			}
			w.s.DeliveryEnded(w.ctx, dead, false)
			w.s.DeliveryEnded(w.ctx, weak, i%15 == 0)
			if i < 900 {
				w.s.DeliveryEnded(w.ctx, few, false)
			}
		}
		w.clock.Advance(time.Hour)
		for range 200 {
			w.s.DeliveryEnded(w.ctx, few, false)
		}
		subs, err := w.s.Subscriptions(w.ctx, w.admin, messaging.Events, messaging.Place{}, 10)
		w.no(err)
		for _, s := range subs {
			if want := s.ID == dead; (s.Status == messaging.Disabled) != want {
				w.t.Errorf("%s is %s", map[string]string{dead: "dead", weak: "weak", few: "few"}[s.ID], s.Status)
			}
		}
	})
}
